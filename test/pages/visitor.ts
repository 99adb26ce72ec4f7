import type { BrowserContextOptions, Page, Response } from 'playwright-core';
import { browser } from '../support/browser.ts';
import { photograph } from './browser.ts';
import { inspectLayout, inspectRules } from './inspect.ts';

const WAIT_MS = 10_000;

/**
 * Windows of the visitors, with user agents of ordinary browsers, since headless ones count as
 * bots.
 */
export const WINDOWS: Record<string, BrowserContextOptions> = {
  phone: {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    colorScheme: 'light',
    userAgent:
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36',
  },
  desk: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark', userAgent: browser() },
  mute: {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    javaScriptEnabled: false,
    userAgent: browser(7),
  },
};

/** A visitor with a browser, who collects findings. */
export class Visitor {
  readonly page: Page;
  readonly found: string[] = [];
  readonly #photographs: string;
  readonly #hasScripts: boolean;
  #steps = 0;

  /**
   * Prepares the page.
   * @param photographs path of the screenshots without number and extension
   */
  constructor(page: Page, photographs: string, hasScripts: boolean) {
    this.page = page;
    this.#photographs = photographs;
    this.#hasScripts = hasScripts;
    page.setDefaultTimeout(WAIT_MS);
  }

  /** Opens a URL, and expects a status. */
  async open(url: string, status = 200): Promise<void> {
    this.#answered(await this.page.goto(url), status);
  }

  /** Does something that loads another page, and expects its status. */
  async go(act: () => Promise<void>, status: number): Promise<void> {
    const { page } = this;
    const loaded = page.waitForResponse(
      (response) =>
        response.request().isNavigationRequest() &&
        response.frame() === page.mainFrame() &&
        (response.status() < 300 || response.status() >= 400),
    );
    await act();
    this.#answered(await loaded, status);
    await page.waitForLoadState();
  }

  /** Inspects the current page. */
  async see(what: string): Promise<void> {
    this.#steps += 1;
    await photograph(this.page, `${this.#photographs}-${this.#steps}-${what}.png`);
    const faults = await inspectLayout(this.page);
    if (this.#hasScripts) faults.push(...(await inspectRules(this.page)));
    for (const fault of faults) this.check(false, `${what}: ${fault}`);
  }

  check(isSo: boolean, otherwise: string): void {
    if (!isSo) this.found.push(otherwise);
  }

  /** Expects to be at a URL on another host than the link's. */
  async arrives(url: string): Promise<void> {
    const { page } = this;
    await page.getByRole('heading', { name: 'Arrived' }).waitFor();
    this.check(page.url() === url, `arrived at ${page.url()}, not ${url}`);
  }

  #answered(response: Response | null, status: number): void {
    const got = response?.status();
    this.check(got === status, `${response?.url()} answered ${got}, not ${status}`);
  }
}
