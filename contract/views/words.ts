import { z } from 'zod';

export const instant = (what: string) => z.int().describe(`${what} Epoch milliseconds.`);

export const count = () => z.int().min(0);

export const codes = <const T extends object>(table: T) =>
  Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];
