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

/** The sections for the behavior and tracking of a short link. */
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
