import { strict } from '#contract/text/schema-words.js';
import { secretText } from '../secret-text.js';
import { ofEveryChannel } from './of-every-channel.js';

/** One message to a channel of Slack, through an incoming webhook. */
export const SlackChannel = strict({
  ...ofEveryChannel('slack'),
  /** Anyone who knows this address can post there. */
  webhook: secretText(),
});
