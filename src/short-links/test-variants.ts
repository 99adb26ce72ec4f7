import { Refusal } from '../errors.ts';
import { Joi, nameText, requiredText } from '../http/fields.ts';
import { canonicalJson } from '../infra/canonical.ts';
import { destination } from './url-field.ts';

/*
 * An A/B test of destinations. It runs from the moment its variants are set until
 * `testCompletedAt`, or until a winner is chosen. A change of the variants begins another test.
 */

const MAX_VARIANTS = 10;
/** Names for variants that have none. */
const LETTERS = 'ABCDEFGHIJ';

/** One of the destinations that a test compares. */
export interface TestVariant {
  /** Name of the variant in events and analytics. */
  name: string;
  url: string;
  /** Share of the visitors, in percent. */
  percentage: number;
}

const url = () => destination().required().description('Destination URL.');
const percentage = () =>
  Joi.number()
    .integer()
    .strict()
    .min(1)
    .max(99)
    .required()
    .description('Share of the visitors in percent; all shares add up to 100.');

const isVariant = ({ name, percentage }: { name: unknown; percentage: unknown }): boolean =>
  typeof name === 'string' && typeof percentage === 'number';

/** Schema of the variants of a test in a request body. */
export const testVariantsField = () =>
  Joi.array<TestVariant[]>()
    .items(
      Joi.object<TestVariant>({
        name: nameText(50)
          .pattern(/^[^,\p{Cc}]+$/u, { name: 'a name without commas' })
          .description(
            'Name in events and analytics, up to 50 characters. Default: a letter, in the order of the variants.',
          ),
        url: url(),
        percentage: percentage(),
      }).meta({ name: 'NewTestVariant' }),
    )
    .min(2)
    .max(MAX_VARIANTS)
    .allow(null)
    .custom((variants: (Omit<TestVariant, 'name'> & { name?: string })[], { error }) => {
      const named = variants.map((variant, at) => ({ name: LETTERS[at]!, ...variant }));
      // Each invalid variant is reported by its own schema.
      if (!named.every(isVariant)) return variants;
      if (new Set(named.map(({ name }) => name.toLowerCase())).size < named.length) {
        return error('rule', { rule: 'must not have two variants with the same name' });
      }
      const sum = named.reduce((total, variant) => total + variant.percentage, 0);
      if (sum === 100) return named;
      return error('rule', { rule: `must have percentages that add up to 100, not ${sum}` });
    });

/** Schema of the variants of a test in a record. */
export const testVariantsRecord = () =>
  Joi.array()
    .items(
      Joi.object<TestVariant>({
        name: requiredText.description('Name in events and analytics.'),
        url: url(),
        percentage: percentage(),
      }).meta({ name: 'TestVariant' }),
    )
    .allow(null)
    .required();

/** The columns that hold a test. */
interface TestColumns {
  updated_at: Date;
  test_variants: TestVariant[] | null;
  test_started_at: Date | null;
  test_completed_at: Date | null;
  test_winner: string | null;
}

/** The fields of a test in a change. */
interface TestChanges {
  testVariants?: TestVariant[] | null | undefined;
  testCompletedAt?: string | null | undefined;
  testWinner?: string | null | undefined;
}

/**
 * Keeps the columns of a test consistent: new variants begin a test, a winner ends it.
 *
 * @param row the changed row, in which the other columns of the test are set
 * @throws Refusal `unprocessable_entity` if the fields contradict each other
 */
export function applyTest(
  before: TestColumns,
  row: TestColumns,
  { testVariants, testCompletedAt = null, testWinner = null }: TestChanges,
): void {
  const variants = row.test_variants;
  if (
    testVariants !== undefined &&
    canonicalJson(variants) !== canonicalJson(before.test_variants)
  ) {
    row.test_started_at = variants === null ? null : row.updated_at;
    row.test_completed_at = testCompletedAt === null ? null : new Date(testCompletedAt);
    row.test_winner = testWinner;
  }
  if (variants === null) {
    const field = testWinner === null ? 'testCompletedAt' : 'testWinner';
    if (testWinner === null && testCompletedAt === null) return;
    throw new Refusal('unprocessable_entity', `${field} must not be set without testVariants`);
  }
  if (testWinner === null) {
    // A running test has no winner.
    const end = row.test_completed_at;
    if (end === null || end > row.updated_at) row.test_winner = null;
    return;
  }
  if (variantNamed(row, testWinner) === undefined) {
    const names = variants.map(({ name }) => name).join(', ');
    throw new Refusal('unprocessable_entity', `testWinner must be one of ${names}`);
  }
  const { test_completed_at: end, updated_at: now } = row;
  if (end === null || end > now) row.test_completed_at = now;
}

/** The destination of the winner that a change chooses; `undefined` if it chooses none. */
export const chosenUrl = (row: TestColumns, { testWinner }: TestChanges): string | undefined =>
  typeof testWinner === 'string' ? variantNamed(row, testWinner)?.url : undefined;

const variantNamed = ({ test_variants }: TestColumns, winner: string): TestVariant | undefined =>
  test_variants?.find(({ name }) => name === winner);
