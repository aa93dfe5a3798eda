import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  source: string;
}

/**
 * What becomes of one mail: a code instead of taking it, `hang`: no answer ever, `drop`: the connection is cut after the whole
 * mail was taken, before the answer, `silent`: the same without the cut, `late`: taken, and the answer comes when the test says.
 */
export type MailStep = number | 'hang' | 'drop' | 'silent' | 'late';

export interface MailServer {
  url: string;
  mails: ReceivedMail[];
  /** Answers the next recipients with this code instead of taking them; empty again: takes mails. */
  refuse: Map<string, number>;
  /** What becomes of every mail to these, which goes before the script. */
  always: Map<string, 'hang' | 'silent'>;
  /** One step for each of the next mails; none left: takes mails. */
  script: MailStep[];
  /** Answers the `late` ones. */
  answerLate(): void;
  /** How many connections were ever accepted. */
  connections(): number;
  /** Nothing listens any more, and who is connected is cut off. */
  down(): Promise<void>;
  /** Listens again, at the same address. */
  up(): Promise<void>;
  close(): Promise<void>;
}

export interface MailServerOptions {
  /** Only who shows this password may send. */
  password?: string;
  /** Whatever somebody has shown as one. */
  onPassword?(password: string): void;
}

/** The same configuration, with this mail server. */
export function mailingThrough(smtp: string, config: unknown): object {
  const { notify, ...others } = config as { notify?: object };
  return { ...others, notify: { ...notify, smtp } };
}

/** A real SMTP server that does what a test wants and remembers what it was given. */
export async function startMailServer({ password, onPassword }: MailServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const refuse = new Map<string, number>();
  const always = new Map<string, 'hang' | 'silent'>();
  const script: MailStep[] = [];
  const sockets = new Map<number, Socket>();
  const steps = new WeakMap<SMTPServerSession, MailStep | undefined>();
  const late: (() => void)[] = [];
  let connections = 0;

  function start(port: number): Promise<SMTPServer> {
    const server = new SMTPServer({
      authOptional: password === undefined,
      allowInsecureAuth: true,
      disabledCommands: password === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
      onAuth({ username, password: shown }, _session, callback) {
        onPassword?.(shown ?? '');
        if (shown === password) callback(null, { user: username });
        // As servers do that say too much.
        else callback(Object.assign(new Error(`who is ${username} with ${shown}`), { responseCode: 535 }));
      },
      closeTimeout: 1,
      onMailFrom(_address, session, callback) {
        const step = script.shift();
        steps.set(session, step);
        callback(typeof step === 'number' ? refusal(step) : null);
      },
      onRcptTo({ address }, session, callback) {
        steps.set(session, always.get(address) ?? steps.get(session));
        if (steps.get(session) === 'hang') return;
        const code = refuse.get(address);
        callback(code === undefined ? null : refusal(code));
      },
      onData(stream, session, callback) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            source: Buffer.concat(chunks).toString('utf8'),
          });
          const step = steps.get(session);
          if (step === 'drop') sockets.get(session.remotePort)?.destroy();
          else if (step === 'late') late.push(() => callback());
          else if (step !== 'silent') callback();
        });
      },
    });
    // Such as a connection that was cut by a test.
    server.on('error', () => undefined);
    server.server.on('connection', (socket) => {
      const { remotePort = 0 } = socket;
      connections += 1;
      sockets.set(remotePort, socket);
      socket.on('close', () => sockets.delete(remotePort));
    });
    return new Promise((resolve, reject) => {
      server.server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  }

  let server: SMTPServer | undefined = await start(0);
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  async function down(): Promise<void> {
    const running = server;
    server = undefined;
    const closed = new Promise<void>((resolve) => (running ? running.close(() => resolve()) : resolve()));
    for (const socket of sockets.values()) socket.destroy();
    await closed;
  }

  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse,
    always,
    script,
    answerLate: () => late.splice(0).forEach((answer) => answer()),
    connections: () => connections,
    down,
    async up() {
      server ??= await start(port);
    },
    close: down,
  };
}

function refusal(code: number): Error {
  return Object.assign(new Error(`refused with ${code}`), { responseCode: code });
}
