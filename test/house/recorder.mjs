// Loaded before the product when a walk is recorded: keeps which function was entered when, in every thread, also in the
// sandbox of the workflows. Plain JavaScript, since Node loads it by itself.
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { threadId } from 'node:worker_threads';

const FILE = `${process.env.HOUSE_RECORD}/${process.pid}-${threadId}`;
const vm = createRequire(import.meta.url)('node:vm');
let waiting = '';

function entered(path, at) {
  waiting += `${process.hrtime.bigint()} ${path} ${at}\n`;
}

function flush() {
  if (waiting !== '') appendFileSync(FILE, waiting);
  waiting = '';
}

globalThis.__entered = entered;
const createContext = vm.createContext;
vm.createContext = (context, ...rest) => {
  Object.defineProperty(context, '__entered', { value: entered, enumerable: false });
  return createContext(context, ...rest);
};
setInterval(flush, 50).unref();
process.on('exit', flush);
