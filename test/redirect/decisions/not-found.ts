import { NOTHING, page, type Row, speaking, type Topic } from './row.ts';

const LANGUAGES: [header: string, tag: string, title: string][] = [
  ['de', 'de', 'Link nicht gefunden'],
  ['de-AT,en;q=0.8', 'de', 'Link nicht gefunden'],
  ['es', 'es', 'Enlace no encontrado'],
  ['fr-CA,fr;q=0.9', 'fr', 'Lien introuvable'],
  ['pt-BR', 'pt', 'Link não encontrado'],
  ['ja', 'ja', 'リンクが見つかりません'],
  ['xx', 'en', 'Link not found'],
  ['xx,ja;q=0.2', 'ja', 'リンクが見つかりません'],
  ['en-US,de;q=0.9', 'en', 'Link not found'],
  ['*', 'en', 'Link not found'],
];

export const notFound: Topic[] = [
  {
    topic: 'the 404 page is shown',
    rows: [
      ...LANGUAGES.map(
        ([header, tag, title]): Row => [
          `in "${tag}" to who asks for "${header}"`,
          NOTHING,
          speaking(header),
          page(404, title, `<html lang="${tag}">`),
        ],
      ),
      [
        'in English without Accept-Language',
        NOTHING,
        {},
        page(404, 'Link not found', '<html lang="en">'),
      ],
    ],
  },
];
