/**
 * The script of display pages: reveals elements that need a script (`data-scripted`), and copies
 * the text of the element that a button names in `data-copy`.
 *
 * The clipboard object is missing on pages over plain HTTP, and may refuse; `execCommand` works in
 * both cases. If neither does, the value is left selected for the phone's own copy command.
 */
export const DISPLAY_SCRIPT = `
(() => {
  const status = document.querySelector('[role=status]');
  let timer;
  const say = (text) => {
    // Emptied first, so that screen readers announce the same text again.
    status.textContent = '';
    clearTimeout(timer);
    timer = setTimeout(() => {
      status.textContent = text;
      timer = setTimeout(() => { status.textContent = ''; }, 2500);
    }, 50);
  };
  const copyOldWay = (element, text) => {
    getSelection().selectAllChildren(element);
    const fill = (event) => {
      event.clipboardData.setData('text/plain', text);
      event.preventDefault();
    };
    document.addEventListener('copy', fill);
    const copied = document.execCommand('copy');
    document.removeEventListener('copy', fill);
    if (copied) getSelection().removeAllRanges();
    return copied;
  };
  const copy = async (element) => {
    const text = element.textContent;
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copyOldWay(element, text);
    }
  };
  document.addEventListener('click', async ({ target }) => {
    const button = target.closest('[data-copy]');
    if (!button) return;
    const copied = await copy(document.getElementById(button.dataset.copy));
    say(copied ? status.dataset.copied : status.dataset.selected);
    if (!copied) return;
    button.classList.add('done');
    setTimeout(() => button.classList.remove('done'), 2500);
  });
  for (const element of document.querySelectorAll('[data-scripted]')) element.hidden = false;
})();
`;
