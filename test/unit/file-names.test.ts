import { expect } from 'chai';
import { fileNamer } from '../../src/qrcodes/render/file-name.ts';

const code = (id: string, key: string, title: string | null = null) => ({ id, key, title });

describe('file names of QR codes', () => {
  it('are titles, then keys, each once as file systems compare them', () => {
    const names = [
      code('1', 'a', 'Menu'),
      code('2', 'b', 'menu'),
      code('3', 'b', 'MENU'),
      code('4', '', 'Menu'),
      code('5', 'x/y'),
      code('6', 'é', 'cafe\u0301'),
      code('7', 'f', 'caf\u00e9'),
      code('8', '', '..'),
    ].map(fileNamer('title'));
    expect(names).to.deep.equal([
      'Menu',
      'menu-b',
      'MENU-b-2',
      'Menu-2',
      'x-y',
      'cafe\u0301',
      'caf\u00e9-f',
      '8',
    ]);
  });

  it('are other fields on request', () => {
    const named = { ...code('qr_1', 'a', 'Menu'), externalId: 'table-1' };
    expect(fileNamer('externalId')(named)).to.equal('table-1');
    expect(fileNamer('externalId')({ ...named, externalId: null })).to.equal('a');
    expect(fileNamer('id')(named)).to.equal('qr_1');
    expect(fileNamer('key')(named)).to.equal('a');
  });

  it('are not those of devices in Windows', () => {
    const names = ['CON', 'nul', 'com1', 'aux.x', 'Console', 'lpt'].map((title, at) =>
      fileNamer('title')(code(String(at), 'k', title)),
    );
    expect(names).to.deep.equal(['CON-', 'nul-', 'com1-', 'aux-.x', 'Console', 'lpt']);
  });
});
