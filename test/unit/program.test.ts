import { expect } from 'chai';
import { programOf } from '../../src/visitors/program.ts';
import { trafficOf } from '../../src/visitors/traffic.ts';

const GECKO = '(KHTML, like Gecko)';
const CHROME = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${GECKO} Chrome/139.0.0.0 Safari/537.36`;

const nameOf = (headers: Record<string, string>) => {
  const userAgent = headers['user-agent'] ?? '';
  return programOf(trafficOf(headers, userAgent), headers, userAgent);
};

describe('the name of a program', () => {
  const names: [userAgent: string, name: string][] = [
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot'],
    [
      `Mozilla/5.0 AppleWebKit/537.36 ${GECKO} Chrome/125.0 Safari/537.36 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)`,
      'bingbot',
    ],
    [
      `Mozilla/5.0 AppleWebKit/537.36 ${GECKO}; compatible; GPTBot/1.2; +https://openai.com)`,
      'GPTBot',
    ],
    ['Mozilla/5.0 (compatible; Yahoo! Slurp)', 'Yahoo! Slurp'],
    ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'Slackbot-LinkExpanding'],
    ['WhatsApp/2.24.10.76 i', 'WhatsApp'],
    [
      'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      'facebookexternalhit',
    ],
    ['TelegramBot (like TwitterBot)', 'TelegramBot'],
    ['Synapse (bot; +https://github.com/matrix-org/synapse)', 'Synapse'],
    ['Chatwork LinkPreview v1', 'Chatwork LinkPreview'],
    ['curl/8.5.0', 'curl'],
    ['python-requests/2.32.3', 'python-requests'],
    [
      `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 ${GECKO} HeadlessChrome/126.0.0.0 Safari/537.36`,
      'HeadlessChrome',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64) Chrome/117.0.0.0 Safari/537.36 GTmetrix', 'GTmetrix'],
    [
      'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
      'GoogleImageProxy',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.22631; en-US) PowerShell/7.4.2',
      'PowerShell',
    ],
    ['Microsoft Office/16.0 (Windows NT 10.0; Microsoft Word 16.0.17126; Pro)', 'Microsoft Office'],
    ['Word/16.78', 'Microsoft Office'],
    ['', 'No user agent'],
    ['/bot', 'Unknown program'],
    ['bot <script>alert(1)@"\u0000ü', 'bot script alert'],
    [`bot${'x'.repeat(1_000)}/1.0`, `bot${'x'.repeat(45)}`],
  ];
  for (const [userAgent, name] of names) {
    it(`by "${userAgent.slice(0, 60)}" is ${name}`, () => {
      for (let time = 0; time < 2; time += 1) {
        expect(nameOf({ 'user-agent': userAgent })).to.equal(name);
      }
    });
  }

  it('is a description where a browser sends a part of a page', () => {
    const fetched = { 'sec-fetch-mode': 'no-cors' };
    const of = (headers: Record<string, string>) => nameOf({ 'user-agent': CHROME, ...headers });
    expect(of({ ...fetched, 'sec-fetch-dest': 'image' })).to.equal('Image of a page');
    expect(of({ ...fetched, 'sec-fetch-dest': 'script' })).to.equal('Script of a page');
  });

  it('is the host that signs the requests of an assistant', () => {
    const of = (signer: string) => nameOf({ 'user-agent': CHROME, 'signature-agent': signer });
    expect(of('"https://chatgpt.com"')).to.equal('chatgpt.com');
    expect(of('nothing')).to.equal('Unknown program');
  });
});
