// Writes the catalogs of the console's texts: `npm run console:texts`. With `--check`, reports what is
// wrong with them, of all languages or of the named ones; empty translations only without `--partial`.
import { faultsOfCatalogs, updateCatalogs } from './texts/catalogs.mjs';
import { LANGUAGES } from './texts/po.mjs';

const options = process.argv.slice(2);
if (options.includes('--check')) {
  const languages = LANGUAGES.filter((language) => options.includes(language));
  const faults = faultsOfCatalogs({
    isComplete: !options.includes('--partial'),
    ...(languages.length > 0 && { languages }),
  });
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
} else {
  updateCatalogs();
}
