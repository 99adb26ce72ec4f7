import { type DragEvent, useEffect, useEffectEvent, useState } from 'react';

/**
 * Accepts a file dropped on an area or pasted anywhere in the window.
 *
 * @returns true while a file is dragged over the area, and the area's event handlers
 */
export function useFileDrop(take: (file: File) => void) {
  const [isOver, setOver] = useState(false);
  usePastedFile(take);
  const handlers = {
    onDragOver(event: DragEvent) {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer.files;
      if (file !== undefined) take(file);
    },
  };
  return { isOver, handlers };
}

/**
 * Accepts a file pasted anywhere in the window. A file dropped outside the drop area is ignored,
 * because the browser would otherwise replace the page with it.
 */
function usePastedFile(take: (file: File) => void): void {
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const file = event.clipboardData?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    take(file);
  });
  useEffect(() => {
    addEventListener('paste', onPaste);
    addEventListener('dragover', ignoreFile);
    addEventListener('drop', ignoreFile);
    return () => {
      removeEventListener('paste', onPaste);
      removeEventListener('dragover', ignoreFile);
      removeEventListener('drop', ignoreFile);
    };
  }, []);
}

function ignoreFile(event: globalThis.DragEvent): void {
  if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}
