/**
 * Whether the connection must turn to TLS before anything of value goes over it. A login is of value: an attacker in
 * between could otherwise take the offer of TLS out of what the server says, and read the password. On this machine nobody sits in between.
 * `?starttls=optional` is for networks that are trusted, `?starttls=required` for mails without a login.
 */
export function needsTls({ protocol, hostname, username, searchParams }: URL): boolean {
  if (protocol === 'smtps:') return false;
  const said = searchParams.get('starttls');
  if (said === 'required' || said === 'optional') return said === 'required';
  return username !== '' && !LOOPBACK.test(hostname);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
