/** Why a gateway did not take events that it may well take later. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  constructor(
    message: string,
    /** Absent when there was no answer. */
    readonly status?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Nobody listens there, as opposed to somebody who is slow or says no. */
  get isAbsent(): boolean {
    const { code } = (this.cause ?? {}) as NodeJS.ErrnoException;
    return code !== undefined && ABSENT_CODES.includes(code);
  }

  /** The token or the tenant is the trouble, or has used up its share. Others may fare better. */
  get isOfTenant(): boolean {
    return this.status === 403 || this.status === 429;
  }
}

const ABSENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ENETDOWN'];
