import { strict } from '#contract/text/schema-words.js';
import { ofEveryChannel } from './of-every-channel.js';

/** A mail to each member. The server is MESH_SMTP_URL, the sender `notify.fromAddress`. */
export const EmailChannel = strict(ofEveryChannel('email'));
