import { expect } from 'chai';
import fc from 'fast-check';
import {
  countVisits,
  decodeVisits,
  encodeVisits,
  type VisitBatch,
} from '../../src/visits/batch.ts';
import type { Visit } from '../../src/visits/visit.ts';

const few = (...texts: string[]) =>
  fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'binary' }));

const aVisit: fc.Arbitrary<Visit> = fc.record(
  {
    id: fc.string(),
    at: fc.integer({ min: 0, max: 8.64e15 }),
    projectId: few('ws_a', 'ws_b'),
    linkId: few('', 'link_a', 'link_b'),
    domain: few('acme.link', 'localhost'),
    key: few('_root', 'launch'),
    destination: few('https://example.com/', 'https://example.com/?a=1'),
    ip: fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant('')),
    userAgent: few('', 'Mozilla/5.0', '__proto__', 'constructor'),
    referer: few('', 'https://news.example/'),
    via: fc.constantFrom('link' as const, 'qr' as const),
    variant: few('a', ''),
    suspect: few('burst', 'network: Amazon'),
    clickId: fc.string(),
    hints: few('"Android"\n?1\n', ''),
    view: fc.record({ pageId: fc.string() }),
    lead: fc.record({
      eventId: fc.string(),
      nonce: fc.string(),
      pageId: fc.string(),
      answers: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.boolean())),
    }),
  },
  {
    requiredKeys: [
      'id',
      'at',
      'projectId',
      'linkId',
      'domain',
      'key',
      'destination',
      'ip',
      'userAgent',
      'referer',
      'via',
    ],
  },
);

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('batches of visits', () => {
  it('are decoded to the visits that were encoded', () => {
    fc.assert(
      fc.property(fc.array(aVisit, { maxLength: 30 }), (visits) => {
        expect(throughJson(decodeVisits(throughJson(encodeVisits(visits))))).to.deep.equal(
          throughJson(visits),
        );
        expect(countVisits(throughJson(encodeVisits(visits)))).to.equal(visits.length);
        expect(countVisits(visits)).to.equal(visits.length);
      }),
      { numRuns: 300 },
    );
  });

  it('take less than half of plain visits', () => {
    const visits = Array.from({ length: 100 }, (_, n) => ({
      id: `AbCdEfGhIjK_${n.toString(36)}`,
      at: 1_790_000_000_000 + n,
      projectId: 'ws_0123456789abcdefghijklmn',
      linkId: `link_${String(n).padStart(24, '0')}`,
      domain: 'acme.link',
      key: `k${n}`,
      destination: `https://example.com/landing?campaign=autumn&page=${n}`,
      ip: `192.0.2.${n}`,
      userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (n % 40)}.0.0.0 Safari/537.36`,
      referer: '',
      via: 'link' as const,
    }));
    const bytes = (value: unknown) => JSON.stringify(value).length;
    expect(bytes(encodeVisits(visits))).to.be.below(bytes(visits) / 2);
  });

  it('are read as releases before 0.6 wrote them', () => {
    const visits = fc.sample(aVisit, 5);
    expect(decodeVisits(visits)).to.equal(visits);
    expect(decodeVisits(null as unknown as Visit[])).to.equal(null);
  });

  it('are refused in a version that is unknown', () => {
    const batch = { ...encodeVisits([]), v: 2 } as unknown as VisitBatch;
    expect(() => decodeVisits(batch)).to.throw('batches of visits of version 2 are unknown');
  });
});
