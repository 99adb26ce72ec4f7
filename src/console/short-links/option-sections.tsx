import {
  AccessSection,
  MoreSection,
  PageSection,
  RedirectSection,
  ScheduleSection,
} from './options.tsx';
import { RulesSection } from './rules.tsx';
import type { PartProps } from './section.tsx';
import { TargetsSection } from './targets.tsx';
import { TestSection } from './test-variants.tsx';

/** Everything that happens at a visit of a short link, and what is noted with it. */
export function OptionSections(part: PartProps) {
  return (
    <>
      <TargetsSection {...part} />
      <RulesSection {...part} />
      <TestSection {...part} />
      <ScheduleSection {...part} />
      <AccessSection {...part} />
      <PageSection {...part} />
      <RedirectSection {...part} />
      <MoreSection {...part} />
    </>
  );
}
