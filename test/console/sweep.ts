import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { colorFaults, faultsOfRules, SIZES } from './window.ts';

/** Window sizes for views: the sizes of flows, and a tablet in portrait. */
const WIDTHS = { phone: SIZES.phone, tablet: { width: 834, height: 1112 }, desk: SIZES.desk };
/** A desktop window at 200% zoom, which halves its size in CSS pixels. */
const ZOOMED = { width: SIZES.desk.width / 2, height: SIZES.desk.height / 2 };
type Width = keyof typeof WIDTHS;

/** A view to inspect. */
export interface View {
  /** Name of the view in messages and screenshots. */
  name: string;
  /** URL of the view, relative to the API process. */
  path: string;
  /** Brings the loaded page into the state to inspect; runs again at each width. */
  open?(page: Page): Promise<void>;
  /** Widths at which the view exists; all of them by default. */
  sizes?: readonly Width[];
  /** True for the pages of a library, where touch targets and equal names are not checked. */
  isForeign?: boolean;
}

/** Minimum side of a touch target, in px (WCAG 2.5.5). */
const TAP_PX = 44;
/** A box that scrolls by at most this has its scroll bar by mistake, in px. */
const STRAY_SCROLL_PX = 4;

/**
 * Inspects each view at every width, in both color schemes and in forced colors, and on the desktop
 * at 200% zoom. Checks the rules of axe (each control has a name), names of controls that are the
 * same, scrolling, visible selections, and on the phone the size of touch targets. It resizes one
 * window, and reloads a page only if dialogs or menus require it.
 * @returns the findings, each with its view
 */
export async function sweep(
  page: Page,
  views: readonly View[],
  sizes: readonly Width[] = ['phone', 'tablet', 'desk'],
): Promise<string[]> {
  const found: string[] = [];
  for (const view of views) {
    const wanted = sizes.filter((size) => view.sizes?.includes(size) !== false);
    for (const [at, size] of wanted.entries()) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(WIDTHS[size]);
      const where = `${view.name} (${size})`;
      try {
        if (at === 0 || view.open !== undefined) await load(page, view);
        await settled(page);
      } catch (error) {
        found.push(`${where}: ${(error as Error).message}`);
        continue;
      }
      const faults = [
        ...(await faultsOfRules(page)),
        ...(view.isForeign === true ? [] : await faultsOfNames(page)),
        ...(await faultsOfLayout(page, size === 'phone' && view.isForeign !== true)),
      ];
      await photograph(page, `${view.name}-${size}-light`);
      await page.emulateMedia({ colorScheme: 'dark' });
      await settled(page);
      faults.push(...(await colorFaults(page)).map((fault) => `dark: ${fault}`));
      await photograph(page, `${view.name}-${size}-dark`);
      await page.emulateMedia({ forcedColors: 'active' });
      await settled(page);
      const unseen = await faultsOfChoices(page);
      faults.push(...unseen.map((fault) => `forced colors: ${fault}`));
      await photograph(page, `${view.name}-${size}-forced`);
      await page.emulateMedia({ forcedColors: 'none' });
      if (size === 'desk') {
        await page.setViewportSize(ZOOMED);
        await settled(page);
        faults.push(...(await faultsOfLayout(page, false)).map((fault) => `200%: ${fault}`));
        await photograph(page, `${view.name}-zoomed-dark`);
      }
      found.push(...faults.map((fault) => `${where}: ${fault}`));
    }
  }
  return found;
}

async function load(page: Page, { path, open }: View): Promise<void> {
  // Input from the previous width is kept as a draft. It is cleared now, since a view can later
  // store parts of its URL there.
  if (page.url().startsWith('http')) await page.evaluate(() => sessionStorage.clear());
  // A new fragment alone would not reload the document.
  if (path.includes('#')) await page.goto('about:blank');
  await page.goto(path);
  await page.locator('h1, h2').first().waitFor();
  await settled(page);
  await open?.(page);
}

/** Waits until nothing loads, moves or redraws any more. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('.animate-pulse, .animate-spin, [aria-busy=true]') === null,
  );
  await page.evaluate(async () => {
    await document.fonts.ready;
    // Animations within a collapsed part of the page never end.
    await Promise.race([
      Promise.allSettled(document.getAnimations().map((one) => one.finished)),
      new Promise((resolve) => setTimeout(resolve, 500)),
    ]);
    for (let frame = 0; frame < 2; frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
}

/** A control in the tree that screen readers use; a link may occur twice. */
const CONTROL =
  /- '?(button|checkbox|combobox|menuitem|searchbox|slider|spinbutton|switch|tab|textbox) "((?:[^"\\]|\\.)*)"/g;

/**
 * Finds controls that screen readers announce by the same name as another of their kind: in a list
 * of controls, out of their rows, they cannot be told apart.
 */
async function faultsOfNames(page: Page): Promise<string[]> {
  const dialog = page.locator('dialog:modal');
  const shown = (await dialog.count()) > 0 ? dialog.last() : page.locator('body');
  const counts = new Map<string, number>();
  for (const [, role, name] of (await shown.ariaSnapshot()).matchAll(CONTROL)) {
    const control = `${role} "${name}"`;
    counts.set(control, (counts.get(control) ?? 0) + 1);
  }
  return [...counts].flatMap(([control, count]) =>
    count === 1 ? [] : [`${count} controls have the name ${control}`],
  );
}

/**
 * Finds overflowing boxes, scroll bars for a few pixels, a document higher than the window, and
 * touch targets that are too small.
 */
function faultsOfLayout(page: Page, isTapped: boolean): Promise<string[]> {
  return page.evaluate(
    ({ least, most, isTapped }) => {
      const faults: string[] = [];
      const shown = (element: Element) => element.outerHTML.slice(0, 120);
      const dialog = document.querySelector('dialog:modal');
      for (const box of document.querySelectorAll(
        ':root, main, dialog:modal, dialog:modal > div > div, [popover]:popover-open',
      )) {
        const { scrollWidth, clientWidth } = box;
        if (scrollWidth > clientWidth) {
          faults.push(`${scrollWidth} px in ${clientWidth} px: ${shown(box)}`);
        }
      }
      for (const box of document.querySelectorAll<HTMLElement>('body *:not(textarea)')) {
        const rest = box.scrollHeight - box.clientHeight;
        // Such a small rest comes from a border or a rounded line, not from content that people
        // scroll to.
        if (rest < 1 || rest > most || !box.checkVisibility()) continue;
        if (!['auto', 'scroll'].includes(getComputedStyle(box).overflowY)) continue;
        faults.push(`scrolls by ${rest} px: ${shown(box)}`);
      }
      // The frame of a workspace fills the window and only its parts scroll; otherwise people could
      // scroll all of it away.
      const { scrollHeight, clientHeight } = document.documentElement;
      if (document.querySelector('#main') !== null && scrollHeight > clientHeight) {
        faults.push(`the document is ${scrollHeight} px high, the window ${clientHeight} px`);
      }
      if (!isTapped) return faults;
      const within = document.querySelector('[popover]:popover-open') ?? dialog ?? document;
      for (const target of within.querySelectorAll<HTMLElement>(
        'button, a[href], summary, select, textarea, input:not([type=file]), [role=option], [role=slider]',
      )) {
        if (!target.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        if (target.closest('.sr-only') !== null) continue;
        // Links within a text are as high as its lines (an exception of WCAG 2.5.5).
        if (target.matches('a') && getComputedStyle(target).display === 'inline') continue;
        const { labels, type } = target as HTMLInputElement;
        const isBox = type === 'checkbox' || type === 'radio';
        const tapped = (isBox ? labels?.[0] : undefined) ?? target;
        const { width, height } = tapped.getBoundingClientRect();
        // Elements without a size are hidden.
        if (width < 2 || height < 2) continue;
        if (width < least - 0.5 || height < least - 0.5) {
          faults.push(`${Math.round(width)} × ${Math.round(height)} px: ${shown(target)}`);
        }
      }
      return faults;
    },
    { least: TAP_PX, most: STRAY_SCROLL_PX, isTapped },
  );
}

/**
 * Finds selected items that look like unselected ones beside them, by their colors, borders and
 * marks.
 */
function faultsOfChoices(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const chosen =
      ':is([aria-current]:not([aria-current=false]), [aria-selected=true], [aria-pressed=true], [role=switch][aria-checked=true], label:has(> input[type=radio]:checked))';
    const group =
      'nav, fieldset, ul, [role=tablist], [role=listbox], [role=grid], [role=radiogroup]';
    const look = (element: Element): string => {
      const parts = [element, ...element.querySelectorAll('*')].map((one) => {
        const { backgroundColor, color, borderColor, outlineStyle } = getComputedStyle(one);
        // Browsers draw these controls themselves, in system colors.
        const isBox = one.matches('input:not(.sr-only):checked');
        return [backgroundColor, color, borderColor, outlineStyle, isBox].join();
      });
      const marks = element.querySelectorAll('svg').length;
      return [...new Set(parts).add(`${marks} marks`)].toSorted().join(';');
    };
    const faults: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>(chosen)) {
      if (!element.checkVisibility()) continue;
      const others = (element.closest(group) ?? element.parentElement!).querySelectorAll<Element>(
        element.role === null ? element.localName : `[role=${element.role}]`,
      );
      const other = [...others].find((one) => !one.matches(chosen) && one.checkVisibility());
      if (other === undefined || look(other) !== look(element)) continue;
      faults.push(`looks like what is not chosen: ${element.outerHTML.slice(0, 120)}`);
    }
    return faults;
  });
}

/** Height at which screenshots are cut off, in px. */
const HIGHEST = 2_400;

/** Saves a screenshot of the whole page if CONSOLE_SCREENSHOTS names a folder. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['CONSOLE_SCREENSHOTS'];
  if (folder === undefined) return;
  const before = page.viewportSize()!;
  const hidden = await page.evaluate(() => {
    const boxes = [
      ...document.querySelectorAll(':root, main, main .overflow-y-auto, dialog:modal > div > div'),
    ];
    return Math.max(...boxes.map((box) => box.scrollHeight - box.clientHeight));
  });
  const height = Math.min(HIGHEST, before.height + hidden);
  if (hidden > 0) await page.setViewportSize({ ...before, height });
  await page.screenshot({ path: `${folder}/${name}.png` });
  if (hidden > 0) await page.setViewportSize(before);
}

/** Fails with all findings. */
export function expectNothing(found: readonly string[]): void {
  expect(found.length, `\n${found.join('\n')}\n`).to.equal(0);
}
