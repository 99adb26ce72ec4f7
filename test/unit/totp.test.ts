import { base32nopad } from '@scure/base';
import { expect } from 'chai';
import fc from 'fast-check';
import { newRecoveryCodes, recoveryHash } from '../../src/users/second-factor/recovery-codes.ts';
import {
  newTotpSecret,
  stepAt,
  stepOf,
  totpCode,
  totpUri,
} from '../../src/users/second-factor/totp.ts';

describe('time-based one-time passwords', () => {
  const SECRET = base32nopad.encode(Buffer.from('12345678901234567890'));

  // RFC 6238, appendix B, which has eight digits.
  const vectors: [seconds: number, code: string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ];
  for (const [seconds, code] of vectors) {
    it(`are those of RFC 6238 at ${seconds} s`, () => {
      expect(totpCode(SECRET, stepAt(seconds * 1000))).to.equal(code.slice(2));
    });
  }

  it('are accepted in the present and the adjacent steps, each once', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 20 }),
        fc.integer({ min: 100, max: 2 ** 40 }),
        fc.integer({ min: -4, max: 4 }),
        fc.integer({ min: -4, max: 4 }),
        (bytes, present, offset, last) => {
          const secret = base32nopad.encode(bytes);
          const step = present + offset;
          const found = stepOf(secret, totpCode(secret, step), {
            after: present + last,
            now: present * 30_000,
          });
          const isAccepted = Math.abs(offset) <= 1 && offset > last;
          // Two steps may have the same code by chance.
          if (isAccepted) expect(found).to.be.at.least(step);
          else if (found !== undefined) {
            expect(totpCode(secret, found)).to.equal(totpCode(secret, step));
          }
        },
      ),
    );
  });

  it('refuse every other text', () => {
    fc.assert(
      fc.property(fc.string(), (code) => {
        fc.pre(!/^\d{6}$/.test(code));
        expect(stepOf(SECRET, code, { after: 0, now: Date.now() })).to.equal(undefined);
      }),
    );
  });

  it('have random secrets of 160 bits', () => {
    const secret = newTotpSecret();
    expect(secret).to.match(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.to.equal(secret);
  });

  it('have a URI that any account and host can stand in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (account) => {
        const uri = new URL(totpUri(SECRET, { account, issuer: 'links.example.com' }));
        expect(uri.protocol).to.equal('otpauth:');
        expect(decodeURIComponent(uri.pathname)).to.equal(`/links.example.com:${account}`);
        expect(Object.fromEntries(uri.searchParams)).to.deep.equal({
          secret: SECRET,
          issuer: 'links.example.com',
          algorithm: 'SHA1',
          digits: '6',
          period: '30',
        });
      }),
    );
  });
});

describe('recovery codes', () => {
  it('are ten different ones, of 80 bits each', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).to.equal(10);
    for (const code of codes) expect(code).to.match(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  });

  it('are the same in any case and without hyphens, and another person’s differ', () => {
    const [code] = newRecoveryCodes();
    const hash = recoveryHash('user_1', code!);
    expect(recoveryHash('user_1', code!.toUpperCase().replaceAll('-', ' '))).to.equal(hash);
    expect(recoveryHash('user_2', code!)).not.to.equal(hash);
    expect(hash).not.to.contain(code!);
  });
});
