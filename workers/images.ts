import { keepImage } from '../src/images/keep.ts';
import { images } from '../src/queues/images.ts';
import { serve } from '../src/queues/queue.ts';

export default () => serve(images, { 'image.keep': keepImage });
