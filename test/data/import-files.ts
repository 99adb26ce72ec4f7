/*
 * Files as other services, plug-ins, databases and spreadsheet programs write them, with what an
 * import makes of them. `go.test` stands for the domain of the workspace.
 */

/** A file to import, and what the check and the import are to show. */
export interface ImportFile {
  file: string | Uint8Array;
  /** Media type; CSV by default. */
  type?: string;
  query?: Record<string, string>;
  /** Destinations by the keys that redirect to them. */
  links?: Record<string, string>;
  /** Keys of links that exist, archived and expired. */
  dead?: string[];
  /** Fields of links by key. */
  fields?: Record<string, object>;
  /** Number of rows without a key. */
  keyless?: number;
  /** Warnings of the check, in order. */
  warnings?: string[];
  /** Errors of refused rows, in order. */
  errors?: string[];
  /** Message with which the whole file is refused. */
  refusal?: string;
}

const A = 'https://example.com/a';
const B = 'https://example.com/b';

/** A file with one column of keys, under a header. */
const keyed = (header: string, value = 'abc'): ImportFile => ({
  file: `Long URL;${header};note\n${A};${value};printed\n`,
  links: { abc: A },
});

/** A file with a column of dates. */
const dated = (dates: string[], instants: string[], warnings: string[] = []): ImportFile => ({
  file: `slug,url,created_at\n${dates.map((date, n) => `k${n},${A},"${date}"\n`).join('')}`,
  links: Object.fromEntries(dates.map((_, n) => [`k${n}`, A])),
  fields: Object.fromEntries(instants.map((createdAt, n) => [`k${n}`, { createdAt }])),
  warnings,
});

/** A file with a column of clicks. */
const counted = (clicks: string[], counts: number[], warnings: string[]): ImportFile => ({
  file: `slug\turl\thits\n${clicks.map((text, n) => `k${n}\t${A}\t${text}\n`).join('')}`,
  links: Object.fromEntries(clicks.map((_, n) => [`k${n}`, A])),
  fields: Object.fromEntries(counts.map((count, n) => [`k${n}`, { importedClicks: count }])),
  warnings,
});

const MONTH_FIRST = 'Dates such as 8/9/2024 are read as month/day/year';
const DAY_FIRST = 'Dates such as 8/9/2024 are read as day/month/year';
const NONE = (rows: number) =>
  `None of the ${rows} rows has a key: each link would get a random one`;

const POLR_TABLE =
  'CREATE TABLE `links` (\n  `id` int(10) UNSIGNED NOT NULL,\n  `short_url` varchar(191) NOT NULL,\n' +
  '  `long_url` longtext NOT NULL,\n  `ip` varchar(255) NOT NULL,\n  `creator` varchar(255) NOT NULL,\n' +
  '  `clicks` int(11) NOT NULL,\n  `secret_key` varchar(255) NOT NULL,\n' +
  '  `is_disabled` tinyint(1) NOT NULL,\n  `is_custom` tinyint(1) NOT NULL,\n' +
  '  `created_at` timestamp NULL DEFAULT NULL,\n  PRIMARY KEY (`id`),\n  KEY `links_ip` (`ip`, `creator`)\n' +
  ') ENGINE=InnoDB;\n';

export const SERVICE_FILES: Record<string, ImportFile> = {
  'Bitly, with a custom back-half': {
    file: `Link,Custom Link,Destination URL,Title,Date Created,Engagements\nhttps://bit.ly/3abc,https://go.test/spring,${A},Spring,2024-08-15T15:03:00+0000,"1,204"\n`,
    links: { '3abc': A, spring: A },
    fields: { spring: { importedClicks: 1_204, createdAt: '2024-08-15T15:03:00.000Z' } },
    warnings: ['Numbers such as 1,234 are read as 1234'],
  },
  'Bitly, of which a column is left out': {
    file: `Link,Custom Link,Destination URL,Title,Date Created,Engagements\nhttps://go.test/3abc,https://go.test/my-custom,${A},Spring,soon,many\n`,
    query: { mapping: '{"Engagements":null,"Date Created":null}' },
    links: { '3abc': A, 'my-custom': A },
  },
  'Dub, through a spreadsheet': {
    file: `Short link,Destination URL,Clicks,Created at,Updated at,Tags,Archived\nhttps://go.test/du,${A},"1,234",8/15/2024 15:03,,,FALSE\n`,
    links: { du: A },
    fields: { du: { importedClicks: 1_234, createdAt: '2024-08-15T15:03:00.000Z' } },
    warnings: [MONTH_FIRST, 'Numbers such as 1,234 are read as 1234'],
  },
  Kutt: {
    file: `id,address,banned,created_at,target,visit_count\n1,team,f,2020-07-18 12:49:44.123+00,${A},88\n2,bad,t,2020-07-18 12:49:44.123+00,${B},1\n`,
    links: { team: A },
    dead: ['bad'],
  },
  'Shlink, from its web client, in days first': {
    file: `createdAt;domain;shortCode;shortUrl;longUrl;title;tags;visits\n15.08.2024 15:03;go.test;12c;https://go.test/12c;${A};;a|b;1.029\n`,
    links: { '12c': A },
    fields: { '12c': { importedClicks: 1_029, createdAt: '2024-08-15T15:03:00.000Z' } },
    warnings: ['Numbers such as 1.234 are read as 1234'],
  },
  'Shlink, in the documented columns': {
    file: `Long URL;Tags;Domain;Short code;Title\n${A};a|b;go.test;std-one;T1\n`,
    links: { 'std-one': A },
    fields: { 'std-one': { title: 'T1' } },
  },
  'Short.io, with a limit that is not used up': {
    file: `Short URL,Original URL,Path,Created at,Clicks limit,Clicks\nhttps://go.test/app,${A},app,1723734180000,"2,000","1,234"\n`,
    links: { app: A },
    fields: { app: { maxVisits: 766, importedClicks: 1_234 } },
    warnings: ['Numbers such as 1,234 are read as 1234'],
  },
  Rebrandly: {
    file: `title,slashtag,destination,shortUrl,domain.fullName,createdAt\nOne,reb,${A},go.test/reb,go.test,2024-08-15T15:03:00.000Z\n`,
    links: { reb: A },
  },
  'YOURLS, without titles': {
    file: `"keyword","url","title","timestamp","ip","clicks"\n"ozh","${A}",NULL,"2017-12-10 20:26:29","192.0.2.1","5"\n"two","${B}",\\N,"0000-00-00 00:00:00","192.0.2.1","0"\n`,
    links: { ozh: A, two: B },
    fields: { ozh: { title: null }, two: { title: null } },
  },
  'the plug-in Import Export of YOURLS': {
    file: `source,target,hits\n/abc/,${A},12\n`,
    links: { abc: A },
    fields: { abc: { importedClicks: 12 } },
  },
  'tiny.cc': { file: `"url";"short_id";"note"\n"${A}";"37r";""\n`, links: { '37r': A } },
  'a list of redirects': {
    file: `source,target,regex,type,code,match,hits,title,status\n/go/a,${A},0,url,301,url,3,,enabled\n/go/b,${B},0,url,301,url,3,,disabled\n`,
    links: { 'go/a': A },
    dead: ['go/b'],
  },
  'the table of Polr': {
    file: `"id","short_url","long_url","ip","creator","clicks","secret_key","is_disabled","is_custom","created_at"\n"1","polr","${A}","192.0.2.1","ada","1287","","0","1","2016-03-05 04:31:32"\n"2","off","${B}","192.0.2.1","ada","0","","1","1","2016-03-05 04:31:32"\n"3","hid","${B}","192.0.2.1","ada","0","9x","0","1","2016-03-05 04:31:32"\n`,
    links: { polr: A, 'hid/9x': B },
    dead: ['off'],
    fields: { polr: { importedClicks: 1_287 } },
  },
  'a dump of Polr by phpMyAdmin': {
    file: `-- phpMyAdmin SQL Dump\n-- version 5.2.1\n\nSET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";\n\n${POLR_TABLE}\nINSERT INTO \`links\` (\`id\`, \`short_url\`, \`long_url\`, \`ip\`, \`creator\`, \`clicks\`, \`secret_key\`, \`is_disabled\`, \`is_custom\`, \`created_at\`) VALUES\n(1, 'polr', '${A}', '192.0.2.1', 'O''Neil; DROP', 1287, '', 0, 1, '2016-03-05 04:31:32'),\n(2, 'off', '${B}', '192.0.2.1', 'ada', 0, '', 1, 1, NULL);\n\nCREATE TABLE \`users\` (\`id\` int);\nINSERT INTO \`users\` (\`id\`) VALUES (1);\n`,
    type: 'application/sql',
    links: { polr: A },
    dead: ['off'],
  },
  'a dump of YOURLS by phpMyAdmin': {
    file: `-- phpMyAdmin SQL Dump\nINSERT INTO \`yourls_options\` (\`option_name\`, \`option_value\`) VALUES\n('version', '1.9');\n-- Volcado de datos para la tabla \`yourls_url\`\nINSERT INTO \`yourls_url\` (\`keyword\`, \`url\`, \`title\`, \`timestamp\`, \`ip\`, \`clicks\`) VALUES\n('blog', '${A}', 'YOURLS\\' (Blog)', '2026-09-12 02:16:48', '192.0.2.1', 7),\n('hex', 0x${Buffer.from(B).toString('hex')}, NULL, '0000-00-00 00:00:00', '192.0.2.1', 0);\n`,
    links: { blog: A, hex: B },
    fields: { blog: { title: "YOURLS' (Blog)", importedClicks: 7 }, hex: { title: null } },
  },
  'a dump of YOURLS by mysqldump': {
    file: `/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump 10.19\n/*!40101 SET NAMES utf8mb4 */;\nCREATE TABLE \`yourls_url\` (\n  \`keyword\` varchar(200) NOT NULL,\n  \`url\` text NOT NULL,\n  \`title\` text DEFAULT NULL,\n  \`timestamp\` timestamp NULL DEFAULT current_timestamp(),\n  \`clicks\` int(11) DEFAULT 0,\n  PRIMARY KEY (\`keyword\`)\n) ENGINE=InnoDB;\nLOCK TABLES \`yourls_url\` WRITE;\nINSERT INTO \`yourls_url\` VALUES\n('sede','${A}','Sede','2026-02-25 08:28:34',340),('rrhh','${B}','a\\nb','2026-02-25 08:28:34',98);\nUNLOCK TABLES;\n`,
    links: { sede: A, rrhh: B },
    fields: { sede: { importedClicks: 340 } },
  },
  'the export of Sink': {
    file: JSON.stringify({
      version: '1.0',
      exportedAt: '2026-01-01T00:00:00.000Z',
      count: 3,
      links: [
        { id: 'a1', url: A, slug: 'sink', createdAt: 1_723_734_180, updatedAt: 1_723_734_180 },
        {
          id: 'a2',
          url: B,
          slug: 'over',
          comment: 'mail',
          createdAt: 1_723_734_180,
          updatedAt: 1_723_734_180,
          expiration: 1_723_734_999,
          title: 'Over',
          tags: ['mail'],
        },
        { id: 'a3', url: B, slug: 'locked', createdAt: 1, updatedAt: 1, password: '****123' },
      ],
    }),
    type: 'application/json',
    links: { sink: A },
    fields: {
      sink: { createdAt: '2024-08-15T15:03:00.000Z' },
      over: { comments: 'mail', expiresAt: '2024-08-15T15:16:39.000Z' },
    },
    errors: [
      'password must be filled in: the link has one, but the other service does not export it',
    ],
  },
  'the export of Sink as CSV': {
    file: `id,url,slug,comment,createdAt,updatedAt,expiration,apple,google,cloaking,redirectWithQuery\na1,${A},sink,mail,1723734180,1723734180,,,,TRUE,FALSE\n`,
    fields: { sink: { rewrite: true, forwardQuery: false, comments: 'mail' } },
  },
};

export const SPELLINGS: Record<string, ImportFile> = {
  ...Object.fromEntries(
    [
      'short code',
      'shortcode',
      'short_code',
      'short_id',
      'code',
      'custom_slug',
      'back-half',
      'hash',
      'alias',
      'keyword',
      'source',
      'Custom Alias',
    ].map((header) => [`keys under “${header}”`, keyed(header)]),
  ),
  'keys between slashes': keyed('source', '/abc/'),
  'whole short links under a header of keys': keyed('Short code', 'https://go.test/abc/'),
  'short links without a scheme under a header of keys': keyed('slug', 'go.test/abc'),
  'keys under a header of short links': keyed('Short URL', '/abc'),
  'percent-encoded keys': {
    file: `Short code,Long URL\ncaf%C3%A9,${A}\n`,
    links: { café: A },
  },
  'keys between slashes, mapped by hand': {
    file: `from,to\n/abc/,${A}\n`,
    query: { mapping: '{"from":"key","to":"url"}' },
    links: { abc: A },
  },
  'no column of keys': {
    file: `Long URL,Title\n${A},One\n${B},Two\n`,
    keyless: 2,
    warnings: [NONE(2)],
  },
  'a key for some rows only': {
    file: `url,slug\n${A},abc\n${B},\n`,
    links: { abc: A },
    keyless: 1,
    warnings: ['1 of the 2 rows has no key: its link would get a random one'],
  },
};

export const SPREADSHEET_FILES: Record<string, ImportFile> = {
  'dates with the month first': dated(
    ['8/15/2024 15:03', '8/9/2024 3:03 PM'],
    ['2024-08-15T15:03:00.000Z', '2024-08-09T15:03:00.000Z'],
    [MONTH_FIRST],
  ),
  'dates with the day first': dated(
    ['15/08/2024 15:03', '8/9/2024'],
    ['2024-08-15T15:03:00.000Z', '2024-09-08T00:00:00.000Z'],
    [DAY_FIRST],
  ),
  'dates that show no order': dated(
    ['8/9/2024'],
    ['2024-08-09T00:00:00.000Z'],
    [`${MONTH_FIRST}, which no date of the file shows`],
  ),
  'dates in two orders': dated(
    ['8/15/2024', '8/16/2024', '17/8/2024', '8/9/2024'],
    [
      '2024-08-15T00:00:00.000Z',
      '2024-08-16T00:00:00.000Z',
      '2024-08-17T00:00:00.000Z',
      '2024-08-09T00:00:00.000Z',
    ],
    [`${MONTH_FIRST}, although some are day/month/year`],
  ),
  'dates with dots': dated(['15.08.2024 15:03'], ['2024-08-15T15:03:00.000Z']),
  'seconds since 1970': dated(['1723734180'], ['2024-08-15T15:03:00.000Z']),
  'milliseconds since 1970': dated(['1723734180123'], ['2024-08-15T15:03:00.123Z']),
  'days since 1900': dated(['45519.62708333'], ['2024-08-15T15:03:00.000Z']),
  'dates of RFC 1123': dated(['Thu, 15 Aug 2024 15:03:00 GMT'], ['2024-08-15T15:03:00.000Z']),
  'dates that cannot be read, or are in the future': {
    ...dated(['soon', '2999-01-01', '0000-00-00 00:00:00'], []),
    warnings: [
      'A value was left out, in row 2: createdAt must be an ISO 8601 date or time',
      'A value was left out, in row 3: createdAt must not be in the future',
    ],
  },
  'numbers with commas': counted(
    ['1,234', '12', '"1,234,567"'],
    [1_234, 12, 1_234_567],
    ['Numbers such as 1,234 are read as 1234'],
  ),
  'numbers with dots': counted(
    ['1.234', '12'],
    [1_234, 12],
    ['Numbers such as 1.234 are read as 1234'],
  ),
  'numbers with spaces': counted(['1 234', '1\u202f234'], [1_234, 1_234], []),
  'numbers that are none': counted(
    ['many', '-1', '7'],
    [0, 0, 7],
    ['2 values were left out, first in row 2: importedClicks must be a number'],
  ),
  'titles and tags that break a rule': {
    file: `slug,url,title,tags\nabc,${A},${'x'.repeat(1_001)},${'y'.repeat(191)}\n`,
    links: { abc: A },
    warnings: [
      'A value was left out, in row 2: title must be at most 1000 characters long',
      'A value was left out, in row 2: tagNames must be at most 190 characters long',
    ],
  },
  'a first line sep=;': { file: `sep=;\nurl;key\n${A};x\n`, links: { x: A } },
  'no header': {
    file: `7,on,abc,${A},2024-08-15\n8,on,def,${B},2024-08-15\n`,
    links: { abc: A, def: B },
    warnings: ['The file has no header: columns are mapped by what its first rows contain'],
  },
  'no header, and whole short links': {
    file: `https://go.test/abc;${A}\nhttps://go.test/def;https://example.org/b\n`,
    links: { abc: A, def: 'https://example.org/b' },
    warnings: ['The file has no header: columns are mapped by what its first rows contain'],
  },
  'words for yes and no in German': {
    file: `slug;url;archived\nabc;${A};WAHR\n`,
    links: { abc: A },
    fields: { abc: { archived: true } },
  },
  'disabled links': {
    file: `slug,url,is_disabled,status,has_secret,created_at\na,${A},0,active,0,2020-01-02\nb,${A},1,active,0,2020-01-02\nc,${A},0,disabled,0,2020-01-02\nd,${A},0,active,1,2020-01-02\n`,
    links: { a: A },
    dead: ['b', 'c', 'd'],
    fields: { b: { archived: true, expiresAt: '2020-01-02T00:00:00.000Z' } },
  },
  'a status that says nothing, and a flag that is none': {
    file: `slug,url,status,is_active\na,${A},301,yes\nb,${B},,perhaps\n`,
    links: { a: A },
    warnings: ['A value was left out, in row 2: status must be a word such as active or disabled'],
    errors: ['active must be a boolean'],
  },
  'an expiry that cannot be read': {
    file: `slug,url,expires_at\na,${A},soon\nb,${B},15.08.2034\n`,
    links: { b: B },
    fields: { b: { expiresAt: '2034-08-15T00:00:00.000Z' } },
    errors: ['expiresAt must be an ISO 8601 date or time'],
  },
  'keys that a spreadsheet has rounded': {
    file: `slug,url\n1.23E+05,${A}\n1e5,${B}\n`,
    links: { '1e5': B },
    errors: ['key must not be a number that a spreadsheet has rounded, such as 1.23E+05'],
  },
  'an Excel workbook': {
    file: Buffer.from(
      `PK\x03\x04\x14\0\x06\0\x08\0${'\0'.repeat(16)}\x13\0\0\0[Content_Types].xml`,
    ),
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    refusal: 'The file must be CSV: this is an Excel workbook; save it as CSV',
  },
  'an old Excel workbook': {
    file: Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0, 0, 0]),
    type: 'application/vnd.ms-excel',
    refusal: 'The file must be CSV: this is an Excel workbook; save it as CSV',
  },
  'an OpenDocument spreadsheet': {
    file: 'PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet',
    refusal: 'The file must be CSV: this is an OpenDocument spreadsheet; save it as CSV',
  },
  'a Numbers spreadsheet': {
    file: 'PK\x03\x04\x14\0\0\0Index/Document.iwa',
    refusal: 'The file must be CSV: this is a Numbers spreadsheet; save it as CSV',
  },
  'a table whose first header begins like an archive': {
    file: `PK,url,slug\n1,https://example.com/xl/,abc\n`,
    links: { abc: 'https://example.com/xl/' },
  },
  'a ZIP archive': {
    file: 'PK\x03\x04\x14\0\0\0links.csv',
    refusal: 'The file must be CSV: this is a ZIP archive; unpack it',
  },
  'a dump that is cut off': {
    file: "-- MySQL dump 10.13\nINSERT INTO `yourls_url` (`keyword`, `url`, `timestamp`, `clicks`) VALUES ('a', 'https://exam",
    refusal: 'The file must be complete: its last row has no end',
  },
  'a dump without links': {
    file: '-- MySQL dump 10.13\nINSERT INTO `wp_posts` (`id`, `title`) VALUES (1, 2);\n',
    refusal:
      'The file must have INSERT statements of the links of Bitly, Dub, Kutt, Shlink, Short.io, YOURLS, Polr, Sink, such as the table yourls_url of YOURLS or links of Polr',
  },
  'a dump that is said to be CSV': {
    file: "-- MySQL dump 10.13\nINSERT INTO `yourls_url` (`keyword`, `url`, `timestamp`, `clicks`) VALUES ('a', 'b', 'c', 1);\n",
    query: { source: 'csv' },
    refusal: 'source must not be csv: the file is a database dump',
  },
};
