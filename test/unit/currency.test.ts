import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Rates, toUsCents } from '../../src/currency/convert.ts';
import { FIRST_RATES } from '../../src/currency/first-rates.ts';
import { BadRates, readRates } from '../../src/currency/read.ts';
import { Refusal } from '../../src/errors.ts';
import { minorUnitsOf } from '../../src/infra/minor-units.ts';
import { seeded } from '../qr/pairwise.ts';

const FILE = readFileSync('test/data/eurofxref-daily.xml', 'utf8');
const SEED = Date.now() % 1_000_000;

/** Minor units of the currencies in the file by ISO 4217, written independently of the code. */
const PLACES: Record<string, number> = { ISK: 0, JPY: 0, KRW: 0 };

const convert = (amount: number, currency: string, rates: Rates) =>
  toUsCents(amount, { currency, decimals: minorUnitsOf(currency) }, rates);

/**
 * Converts an amount by long division of decimal texts, digit by digit, with rounding by the
 * remainder. It shares nothing with the code under test.
 */
function byHand(amount: number, currency: string, rates: ReadonlyMap<string, string>): string {
  const shift = (decimal: string, places: number) => {
    const [whole = '', fraction = ''] = decimal.split('.');
    return `${whole}${fraction.padEnd(places, '0')}`.replace(/^0+(?=\d)/, '');
  };
  const times = (a: string, b: string): string => {
    const digits = Array<number>(a.length + b.length).fill(0);
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) {
        const sum = Number(a[i]) * Number(b[j]) + digits[i + j + 1]!;
        digits[i + j + 1] = sum % 10;
        digits[i + j]! += Math.floor(sum / 10);
      }
    }
    return digits.join('').replace(/^0+(?=\d)/, '');
  };
  const isLess = (a: string, b: string) => a.length < b.length || (a.length === b.length && a < b);
  const minus = (a: string, b: string): string => {
    const digits = Array.from(a, Number);
    for (let i = 0; i < digits.length; i += 1) {
      const at = digits.length - 1 - i;
      digits[at]! -= Number(b[b.length - 1 - i] ?? 0);
      if (digits[at]! < 0) {
        digits[at]! += 10;
        digits[at - 1]! -= 1;
      }
    }
    return digits.join('').replace(/^0+(?=\d)/, '');
  };
  // Both rates are scaled by ten decimal places, which cancel out.
  const dividend = times(times(String(amount), shift(rates.get('USD')!, 10)), '100');
  const divisor = times(shift(rates.get(currency)!, 10), `1${'0'.repeat(PLACES[currency] ?? 2)}`);
  let quotient = '';
  let rest = '0';
  for (const digit of dividend) {
    rest = `${rest}${digit}`.replace(/^0+(?=\d)/, '');
    let count = 0;
    while (!isLess(rest, divisor)) {
      rest = minus(rest, divisor);
      count += 1;
    }
    quotient += count;
  }
  const twice = times(rest, '2');
  const isOdd = Number(quotient.at(-1)) % 2 === 1;
  const isUp = isLess(divisor, twice) || (twice === divisor && isOdd);
  return String(BigInt(quotient) + (isUp ? 1n : 0n));
}

describe(`money (seed ${SEED})`, () => {
  const random = seeded(SEED);
  const rates = readRates(FILE, 'ecb');

  for (const currency of rates.perBase.keys()) {
    it(`is converted exactly: a thousand amounts of ${currency}`, () => {
      for (let n = 0; n < 1_000; n += 1) {
        const amount = Math.floor(random() * 10 ** Math.ceil(random() * 11));
        const { amountCents } = convert(amount, currency, rates);
        const expected =
          currency === 'USD' ? String(amount) : byHand(amount, currency, rates.perBase);
        expect(String(amountCents), `${amount} ${currency}`).to.equal(expected);
      }
    });
  }

  it('is rounded half to even', () => {
    const half = {
      day: '2024-01-01',
      source: '',
      perBase: new Map([
        ['USD', '1'],
        ['XXA', '2'],
      ]),
    };
    const cents = [1, 3, 5, 7, 0, 2].map((amount) => convert(amount, 'XXA', half).amountCents);
    expect(cents).to.deep.equal([0, 2, 2, 4, 0, 1]);
  });

  it('has the minor units of ISO 4217', () => {
    const places = ['USD', 'EUR', 'JPY', 'KRW', 'ISK', 'BHD', 'KWD', 'TND', 'CLF', 'HUF', 'CLP'];
    expect(places.map((code) => minorUnitsOf(code))).to.deep.equal([
      2, 2, 0, 0, 0, 3, 3, 3, 4, 2, 0,
    ]);
  });

  it('returns its rate and the day of the rate', () => {
    expect(convert(172, 'JPY', rates)).to.deep.equal({
      amountCents: 107,
      rate: '1.0705/171.94',
      rateDate: '2024-06-28',
      decimals: 0,
    });
    expect(convert(1999, 'USD', rates)).to.deep.equal({
      amountCents: 1999,
      rate: '1/1',
      rateDate: null,
    });
  });

  it('has the decimals of Stripe in its amounts', () => {
    const places = ['USD', 'ISK', 'UGX', 'MGA', 'JPY', 'KWD', 'HUF', 'TWD'];
    const ofStripe = places.map((code) => minorUnitsOf(code, 'stripe'));
    expect(ofStripe).to.deep.equal([2, 2, 2, 0, 0, 3, 2, 2]);
    expect(places.map((code) => minorUnitsOf(code))).to.deep.equal([2, 0, 0, 2, 0, 3, 2, 2]);
    for (const code of 'BIF CLP DJF GNF JPY KMF KRW PYG RWF VND VUV XAF XOF XPF'.split(' ')) {
      expect(minorUnitsOf(code, 'stripe'), code).to.equal(0);
    }
  });

  it('waits without a rate, and is refused above the maximum', () => {
    const pending = { amountCents: null, rate: null, rateDate: null, decimals: 2 };
    expect(convert(1, 'XTS', rates)).to.deep.equal(pending);
    expect(() => convert(Number.MAX_SAFE_INTEGER, 'GBP', rates)).to.throw(
      Refusal,
      'US cents once converted',
    );
  });
});

describe('a file of rates', () => {
  it('of the European Central Bank contains its day and currencies, against the euro', () => {
    const { day, perBase } = readRates(FILE, 'ecb');
    expect(day).to.equal('2024-06-28');
    expect(perBase.size).to.equal(31);
    expect(perBase.get('EUR')).to.equal('1');
    expect(perBase.get('IDR')).to.equal('17487.21');
    expect([...perBase]).to.have.deep.members([...FIRST_RATES.perBase]);
  });

  it('of JSON contains them too, against any base', () => {
    const json = '{"base":"USD","date":"2026-01-02","rates":{"EUR":0.9,"JPY":150.25}}';
    const rates = readRates(json, 'json');
    expect(convert(90, 'EUR', rates).amountCents).to.equal(100);
    expect(convert(15025, 'JPY', rates).amountCents).to.equal(10_000);
  });

  const bad: [what: string, text: string, format: 'ecb' | 'json'][] = [
    ['nothing', '', 'ecb'],
    ['a page of HTML', '<html><body>Not found</body></html>', 'ecb'],
    ['no day', FILE.replace("time='2024-06-28'", ''), 'ecb'],
    ['no dollar', FILE.replace("currency='USD'", "currency='USX'").replace('USX', 'XUS'), 'ecb'],
    ['a rate of 0', FILE.replace("rate='1.0705'", "rate='0'"), 'ecb'],
    ['an invalid rate', FILE.replace("rate='1.0705'", "rate='1,0705'"), 'ecb'],
    ['a negative rate', FILE.replace("rate='1.0705'", "rate='-1'"), 'ecb'],
    ['broken JSON', '{"base"', 'json'],
    ['JSON without rates', '{"base":"EUR","date":"2024-01-01"}', 'json'],
    ['JSON that is null', 'null', 'json'],
    ['a rate in words', '{"base":"EUR","date":"2024-01-01","rates":{"USD":"one"}}', 'json'],
  ];
  for (const [what, text, format] of bad) {
    it(`is refused with ${what}`, () => {
      expect(() => readRates(text, format)).to.throw(BadRates);
    });
  }
});
