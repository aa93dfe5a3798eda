import { plural } from '#contract/text/words.js';

/** A mail that has had its turn for longer, with the time to connect, is taken for one that hangs. Most take a second. */
export const HANGS_AFTER_MS = 5_000;
/** Mails that move. Some servers take no more than these from one sender, and they are enough for a storm. */
export const MAX_MOVING = 3;
/** With those that hang: servers that count connections allow at least so many, if they allow more than the three. */
export const MAX_CONNECTIONS = 10;
/** So that no one address has many of them. More than one, since it may be a mail that the server does not get over. */
export const MAX_AT_ADDRESS = 3;
/** The rest is for addresses at which nothing hangs. */
export const MAX_WHERE_ONE_HANGS = 6;

export interface Turns {
  /** The right to a connection, once there is one; or why this is no time to wait for it. Never rejects. */
  take(address: string, signal: AbortSignal): Promise<Turn | PutOff>;
  /** Nobody waits any more, and nobody gets a turn. */
  close(): void;
}

export interface Turn {
  end(): void;
}

export interface PutOff {
  putOff: string;
}

interface UnderWay {
  address: string;
  hangs: boolean;
}

interface Waiting {
  address: string;
  settle(answer: Turn | PutOff): void;
}

/**
 * Which mail goes next, so that one at which the server hangs delays no other. Mails wait in line for what moves, and for
 * nothing that hangs: whoever waits keeps a place of its worker taken, and is better put off. To an address goes one mail at a
 * time, and while one hangs there the next is sent all the same, to see whether it was that mail or the address.
 */
export function createTurns({ hangsAfterMs = HANGS_AFTER_MS } = {}): Turns {
  const underWay = new Set<UnderWay>();
  const line = new Set<Waiting>();
  let isClosed = false;

  function callNext(): void {
    for (const waiting of line) {
      const place = placeFor(waiting.address, [...underWay]);
      if (place === 'free') settle(waiting, begin(waiting.address));
      else if (place !== 'soon') settle(waiting, place);
    }
  }

  function begin(address: string): Turn {
    const mail: UnderWay = { address, hangs: false };
    underWay.add(mail);
    const timer = setTimeout(() => {
      mail.hangs = true;
      callNext();
    }, hangsAfterMs);
    return {
      end() {
        clearTimeout(timer);
        if (underWay.delete(mail)) callNext();
      },
    };
  }

  function settle(waiting: Waiting, answer: Turn | PutOff): void {
    if (line.delete(waiting)) waiting.settle(answer);
  }

  return {
    take(address, signal) {
      if (signal.aborted || isClosed) return Promise.resolve(ENDED);
      return new Promise((resolve) => {
        const leave = () => settle(waiting, ENDED);
        const waiting: Waiting = {
          address,
          settle(answer) {
            signal.removeEventListener('abort', leave);
            resolve(answer);
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        line.add(waiting);
        callNext();
      });
    },
    close() {
      isClosed = true;
      for (const waiting of line) settle(waiting, ENDED);
    },
  };
}

const ENDED: PutOff = { putOff: 'Waited for a free connection to the mail server' };

/** `soon`: what is in the way moves. */
function placeFor(address: string, underWay: UnderWay[]): 'free' | 'soon' | PutOff {
  const there = underWay.filter((mail) => mail.address === address);
  const hanging = underWay.filter(({ hangs }) => hangs).length;
  const hangingThere = there.filter(({ hangs }) => hangs).length;
  const isTaken =
    there.length > hangingThere || underWay.length - hanging >= MAX_MOVING || underWay.length >= MAX_CONNECTIONS;
  if (hangingThere > 0) {
    const hasFew = there.length < MAX_AT_ADDRESS && underWay.length < MAX_WHERE_ONE_HANGS;
    if (hasFew && !isTaken) return 'free';
    return { putOff: `The mail server hangs at ${plural(hangingThere, 'other mail')} to ${address}` };
  }
  if (!isTaken) return 'free';
  if (hanging < MAX_CONNECTIONS) return 'soon';
  return { putOff: `The mail server hangs at ${plural(hanging, 'other mail')}, and no connection is free` };
}
