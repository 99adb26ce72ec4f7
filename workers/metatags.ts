import { checkDomainSetup } from '../src/domains/checks.ts';
import { readAskedPage } from '../src/metatags/commands.ts';
import { findFrameable } from '../src/metatags/framing.ts';
import { readPreview } from '../src/metatags/preview.ts';
import { metatags } from '../src/queues/metatags.ts';
import { serve } from '../src/queues/worker.ts';

export default () =>
  serve(metatags, {
    'pages.framing': findFrameable,
    'page.read': readAskedPage,
    'domain.check': checkDomainSetup,
    'record.preview': readPreview,
  });
