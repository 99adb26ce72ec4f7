import { keepImage } from '../src/images/keep.ts';
import { keepPreviewImage } from '../src/metatags/preview-image.ts';
import { images } from '../src/queues/images.ts';
import { serve } from '../src/queues/worker.ts';

export default () => serve(images, { 'image.keep': keepImage, 'image.preview': keepPreviewImage });
