import { expect, test } from 'vitest';
import { unknownEventNames } from '#client/unknown-event-names.js';

test.each([
  [['PostToolUse', 'Stop', 'RunFailed', 'run.finished'], []],
  [
    ['PostToolUsFailure', 'PostToolUsFailure'],
    ['no runtime known to the mesh sends "PostToolUsFailure" (did you mean "PostToolUseFailure"?)'],
  ],
  [['taskCompleted'], ['no runtime known to the mesh sends "taskCompleted" (did you mean "TaskCompleted"?)']],
  [['deploy:done'], ['no runtime known to the mesh sends "deploy:done" (fine if a runtime of yours sends it)']],
])('about %j it says %j', (names, warnings) => {
  expect(unknownEventNames(names)).toEqual(warnings);
});
