/** A request that is not made, however often it is tried. */
export class Refused extends Error {
  override name = 'Refused';
}
