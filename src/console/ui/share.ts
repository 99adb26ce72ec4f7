import { copy } from './button.tsx';
import { toast } from './toasts.tsx';

/**
 * Shares a URL by the dialog of the system, or copies it where the browser has none.
 *
 * @param title name of what is shared
 */
export async function share(title: string, url: string): Promise<void> {
  if (navigator.share === undefined) {
    await copy(url);
    toast(`${title} copied`);
    return;
  }
  try {
    await navigator.share({ title, url });
  } catch (error) {
    // The person closed the dialog.
    if (error instanceof DOMException && error.name === 'AbortError') return;
    await copy(url);
    toast(`${title} copied`);
  }
}
