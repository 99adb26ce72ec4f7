import { config } from '../src/config.ts';
import { keepImage } from '../src/images/keep.ts';
import { images } from '../src/queues/images.ts';
import { serve } from '../src/queues/queue.ts';

export default () =>
  serve(images, { 'image.keep': keepImage }, { concurrency: config().IMAGES_CONCURRENCY });
