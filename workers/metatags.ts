import { config } from '../src/config.ts';
import { findFrameable } from '../src/metatags/framing.ts';
import { metatags } from '../src/queues/metatags.ts';
import { serve } from '../src/queues/queue.ts';

export default () =>
  serve(
    metatags,
    { 'pages.framing': findFrameable },
    { concurrency: config().METATAGS_CONCURRENCY },
  );
