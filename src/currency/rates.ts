import { config } from '../config.ts';
import { db, rows } from '../infra/db.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';
import { ratesAge } from '../infra/metrics.ts';
import { minorUnitsOf } from '../infra/minor-units.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { pendingCents, type Rates, toUsCents, type UsCents } from './convert.ts';
import { type AmountToConvert, currencyJobs } from './jobs.ts';
import { BadRates, readRates } from './read.ts';
import { keepRates } from './store.ts';

const MAX_BYTES = 1024 * 1024;
const FETCH_MS = 15_000;
const DAY_MS = 86_400_000;
/** Age of rates in days from which a warning is logged. */
const FRESH_DAYS = 7;
/** Time for which a worker caches rates, in ms. */
const CACHE_MS = 60_000;

// One per process: all workspaces use the same rates.
let cached: { rates: Rates; at: number } | undefined;

/**
 * Converts an amount to US cents at the newest rates; without a usable one, it waits for a rate.
 *
 * @throws Refusal as {@link toUsCents}
 */
export async function convertAmount(
  { amount, currency, paymentProcessor }: AmountToConvert,
  { log }: Pick<JobContext, 'log'>,
): Promise<UsCents> {
  const unit = { currency, decimals: minorUnitsOf(currency, paymentProcessor) };
  const rates = ifUsable(await newestRates());
  if (rates === undefined) {
    log.warn({ currency }, 'exchange rates are too old: the amount waits for newer ones');
    return pendingCents(unit);
  }
  const ageDays = measureAge(rates);
  if (ageDays > FRESH_DAYS) {
    log.warn({ day: rates.day, ageDays: Math.floor(ageDays) }, 'exchange rates are outdated');
  }
  return toUsCents(amount, unit, rates);
}

/** Returns the rates that are stored; `undefined` if they are older than RATES_MAX_AGE_DAYS. */
export const usableStoredRates = async (): Promise<Rates | undefined> =>
  ifUsable(await storedRates());

/** Returns rates unless they are older than RATES_MAX_AGE_DAYS. */
function ifUsable(rates: Rates): Rates | undefined {
  const { RATES_MAX_AGE_DAYS: limit } = config();
  return limit !== 0 && measureAge(rates) > limit ? undefined : rates;
}

function measureAge({ day }: Rates): number {
  const age = Date.now() - Date.parse(day);
  ratesAge.set(age / 1_000);
  return age / DAY_MS;
}

/** Reads the stored rates, at most once a minute. */
async function newestRates(): Promise<Rates> {
  if (cached !== undefined && Date.now() - cached.at < CACHE_MS) return cached.rates;
  cached = { rates: await storedRates(), at: Date.now() };
  return cached.rates;
}

async function storedRates(): Promise<Rates> {
  const stored = await rows<{ currency: string; per_base: string; day: string; source: string }>(
    db(),
    "SELECT currency, per_base, to_char(day, 'YYYY-MM-DD') AS day, source FROM rates",
  );
  const [first] = stored;
  if (first === undefined) throw new Error('there are no exchange rates: run migrations');
  const perBase = new Map(stored.map(({ currency, per_base }) => [currency, per_base]));
  return { day: first.day, source: first.source, perBase };
}

/**
 * Fetches today's rates. If that fails, the stored ones remain until the queue tries again.
 *
 * @throws Error that describes the failure
 */
export async function refreshRates(_data: object, { log }: JobContext): Promise<void> {
  const { RATES_URL, RATES_FORMAT } = config();
  try {
    const { status, body } = await guardedFetch(RATES_URL, {
      maxBytes: MAX_BYTES,
      timeoutMs: FETCH_MS,
    });
    if (status !== 200) throw new FetchRefused(FETCH_RULES.status('200', status));
    const rates = readRates(body.toString(), RATES_FORMAT);
    const isNew = await db().transaction((trx) => keepRates(trx, { ...rates, source: RATES_URL }));
    cached = undefined;
    log.info(
      { day: rates.day, currencies: rates.perBase.size, isNew },
      'exchange rates were fetched',
    );
  } catch (error) {
    if (!(error instanceof FetchRefused) && !(error instanceof BadRates)) throw error;
    // The violated rule completes "<field> …".
    const reason = error instanceof FetchRefused ? `RATES_URL ${error.message}` : error.message;
    throw new Error(`exchange rates could not be fetched: ${reason}`, { cause: error });
  } finally {
    measureAge(await newestRates());
  }
}

export const currencyHandlers = handlers(currencyJobs, {
  'amount.convert': convertAmount,
  'rates.refresh': refreshRates,
});
