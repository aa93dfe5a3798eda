/** What is wrong with an address that stands in messages for everybody to see, and to which paths are added. */
export function bareUrlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  if (username + password !== '') return 'holds a user name or a password';
  return /[?#]/.test(url) ? 'must end without ? and #: paths are added to it' : undefined;
}
