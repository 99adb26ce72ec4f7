import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { newContextIn } from './browser.ts';

const SHOWN = ['wifi', 'vcard', 'latlog', 'crypto', 'text'];
const PHONE = { width: 390, height: 844 };

/** Combines screenshots of several pages on phones into one picture: light above, dark below. */
export async function overview(browser: Browser, base: string, file: string): Promise<void> {
  const rows: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const options = { viewport: PHONE, colorScheme, deviceScaleFactor: 2 };
    const context = await newContextIn(browser, options);
    const page = await context.newPage();
    const pictures: string[] = [];
    for (const name of SHOWN) {
      await page.goto(`${base}/${name}`);
      const picture = await page.screenshot();
      pictures.push(`<img alt="" src="data:image/png;base64,${picture.toString('base64')}">`);
    }
    rows.push(`<div class="${colorScheme}">${pictures.join('')}</div>`);
    await context.close();
  }
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.setContent(`<!doctype html><style>
    body{margin:0}
    div{display:flex;justify-content:center;gap:24px;padding:32px 24px}
    .light{background:#e9edf3}.dark{background:#0c0e12}
    img{width:254px;border-radius:22px;box-shadow:0 0 0 1px #8884}</style>${rows.join('')}`);
  const whole = await page.screenshot({ fullPage: true });
  await page.close();
  await sharp(whole).png({ palette: true, quality: 90, effort: 10 }).toFile(file);
}
