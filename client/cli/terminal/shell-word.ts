export { meshCommand, shellWord } from '#contract/text/shell-word.js';
