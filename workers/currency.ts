import { convertAmount, refreshRates } from '../src/currency/rates.ts';
import { currency } from '../src/queues/currency.ts';
import { serve } from '../src/queues/worker.ts';

export default () =>
  serve(currency, { 'amount.convert': convertAmount, 'rates.refresh': refreshRates });
