/** What is wrong with an address to which paths are added, and which stands in messages for everybody to see. */
export function bareUrlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  if (username + password !== '') return 'holds a user name or a password';
  return /[?#]/.test(url) ? 'must end without ? and #: paths are added to it' : undefined;
}
