export { meshCommand, shellWord } from '../../../contract/shell-word.js';
