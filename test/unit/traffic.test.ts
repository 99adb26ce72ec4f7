import { expect } from 'chai';
import { RULES, type Traffic, trafficOf } from '../../src/visitors/traffic.ts';

const GECKO = '(KHTML, like Gecko)';
const CHROME = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${GECKO} Chrome/139.0.0.0 Safari/537.36`;

const read = (headers: Record<string, string>) => trafficOf(headers, headers['user-agent'] ?? '');
const readAgent = (userAgent: string) => read({ 'user-agent': userAgent });

describe('the rules for traffic', () => {
  for (const rule of RULES) {
    const { header, example, class: kind, reason } = rule;
    it(`read ${header}: ${example.slice(0, 60)} as ${kind} (${reason})`, () => {
      expect(read({ 'user-agent': CHROME, [header]: example })).to.equal(rule);
    });
  }

  it('have a source each', () => {
    expect(RULES.filter(({ source }) => source === '')).to.deep.equal([]);
  });
});

describe('traffic', () => {
  const agents: [agent: string, kind: Traffic['class'], reason: Traffic['reason']][] = [
    [CHROME, 'person', 'no-rule'],
    ['', 'bot', 'no-user-agent'],
    ['curl/8.5.0', 'bot', 'isbot'],

    ['Microsoft Office/16.0 (Windows NT 10.0; Microsoft Word 16.0.17126; Pro)', 'bot', 'office'],
    ['Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.1; Pro)', 'bot', 'office'],
    ['Microsoft Office Word 2014', 'bot', 'office'],
    ['Microsoft Office Existence Discovery', 'bot', 'office'],
    ['Microsoft Office Protocol Discovery', 'bot', 'office'],
    ['Mozilla/4.0 (compatible; ms-office; MSOffice rmj)', 'bot', 'office'],
    [
      'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/7.0; .NET4.0E; ms-office)',
      'bot',
      'office',
    ],
    ['Word/16.78', 'bot', 'office'],
    ['Microsoft Excel/16.78.23102801 CFNetwork/1474 Darwin/23.0.0', 'bot', 'office'],
    ['MacOutlook/16.89.24090815 (Intelx64 Mac OS X Version 14.6.1)', 'bot', 'office'],

    ['MobileSafari/8617 CFNetwork/1410 Darwin/22', 'bot', 'library'],
    ['MobileSMS/1.0 CFNetwork/1490.0.4 Darwin/23.2.0', 'bot', 'library'],
    ['Notes/1 CFNetwork/1128.1 Darwin/19.6.0 (x86_64)', 'bot', 'library'],
    ['com.apple.Safari.SearchHelper/19617.1 CFNetwork/1490.0.4 Darwin/23.2.0', 'bot', 'library'],
    ['Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1', 'bot', 'library'],
    ['Mozilla/5.0 (Macintosh; Darwin 23.4.0; en-US) PowerShell/7.4.2', 'bot', 'library'],
    ['WhatsApp/24.2.78 CFNetwork/1490.0.4 Darwin/23.2.0', 'preview', 'link-preview'],

    ['Mozilla/5.0 (compatible; Foobot2/1.0)', 'bot', 'crawler'],
    ['Mozilla/5.0 (compatible; Foobot1.0)', 'bot', 'crawler'],
    ['Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 20) Mobile Safari/537.36', 'person', 'no-rule'],
    [
      'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0; CUBOT)',
      'person',
      'no-rule',
    ],
    ['Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.4', 'person', 'no-rule'],
    [
      'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; OfficeLiveConnector.1.3)',
      'person',
      'no-rule',
    ],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/41.0 Safari/537.36 Rocket.Chat/1',
      'preview',
      'link-preview',
    ],
  ];
  for (const [agent, kind, reason] of agents) {
    it(`by "${agent.slice(0, 70)}" is of the class ${kind} (${reason})`, () => {
      for (const traffic of [readAgent(agent), readAgent(agent)]) {
        expect(traffic).to.include({ class: kind, reason });
      }
    });
  }

  const headers: [headers: Record<string, string>, kind: Traffic['class']][] = [
    [{ 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }, 'person'],
    [{ 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }, 'person'],
    [{ 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'navigate' }, 'person'],
    [{ 'sec-fetch-dest': 'video', 'sec-fetch-mode': 'no-cors' }, 'person'],
    [{ 'sec-fetch-mode': 'cors' }, 'person'],
    [{ 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }, 'bot'],
    [{ 'sec-fetch-dest': 'script', 'sec-fetch-mode': 'no-cors' }, 'bot'],
    [{ 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }, 'bot'],
    [{ purpose: 'something' }, 'person'],
    [{ 'sec-purpose': 'prefetch;anonymous-client-ip' }, 'prefetch'],
    [
      { 'sec-purpose': 'prefetch', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'no-cors' },
      'prefetch',
    ],
    [{ 'next-router-prefetch': '1', rsc: '1' }, 'prefetch'],
    [{ 'sec-purpose': 'prefetch', 'user-agent': 'curl/8.5.0' }, 'prefetch'],
    [{ rsc: '0' }, 'person'],
  ];
  for (const [some, kind] of headers) {
    it(`with ${JSON.stringify(some)} is of the class ${kind}`, () => {
      expect(read({ 'user-agent': CHROME, ...some }).class).to.equal(kind);
    });
  }
});
