/** Something that is not done, however often it is tried. */
export class Refused extends Error {
  override name = 'Refused';
}
