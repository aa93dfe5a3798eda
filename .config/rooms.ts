/** Rooms as imports name them (`#contract/event.js`), told to vitest: it runs the sources, where Node runs what is compiled. */
export const ROOMS = [
  {
    find: /^#(contract|rules|workflows|activities|adapters|client|config|worker|test)\/(.*)\.js$/,
    replacement: `${new URL('..', import.meta.url).pathname}$1/$2.ts`,
  },
];
