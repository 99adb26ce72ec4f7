import type { Rates } from './convert.ts';

/**
 * Rates of a new installation until it has fetched newer ones: the euro foreign exchange reference
 * rates of the European Central Bank of 28 June 2024.
 */
export const FIRST_RATES: Rates = {
  day: '2024-06-28',
  source: 'European Central Bank',
  perBase: new Map([
    ['EUR', '1'],
    ['USD', '1.0705'],
    ['JPY', '171.94'],
    ['BGN', '1.9558'],
    ['CZK', '25.025'],
    ['DKK', '7.4575'],
    ['GBP', '0.84638'],
    ['HUF', '395.10'],
    ['PLN', '4.3090'],
    ['RON', '4.9773'],
    ['SEK', '11.3595'],
    ['CHF', '0.9634'],
    ['ISK', '148.90'],
    ['NOK', '11.3965'],
    ['TRY', '35.1868'],
    ['AUD', '1.6079'],
    ['BRL', '5.8915'],
    ['CAD', '1.4670'],
    ['CNY', '7.7748'],
    ['HKD', '8.3594'],
    ['IDR', '17487.21'],
    ['ILS', '4.0200'],
    ['INR', '89.2495'],
    ['KRW', '1474.86'],
    ['MXN', '19.5654'],
    ['MYR', '5.0501'],
    ['NZD', '1.7601'],
    ['PHP', '62.560'],
    ['SGD', '1.4513'],
    ['THB', '39.319'],
    ['ZAR', '19.4970'],
  ]),
};
