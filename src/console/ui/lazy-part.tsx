import { type ComponentProps, type ComponentType, lazy, useEffect, useState } from 'react';
import { loadPart } from '../api/reachability.ts';
import { whenIdle } from './when-idle.ts';

/** A component in a script of its own, such as a dialog. */
interface Preloadable {
  /** Loads the script before the component is rendered. */
  preload(): Promise<unknown>;
}

/**
 * Creates a component from an export of a script that is loaded when it is needed. Once the script
 * is there, the component renders at once: React shows the content of `lazy` 300 ms after its empty
 * fallback, even if the script is loaded already.
 *
 * @param load imports the file
 * @param name export of the file
 */
export function lazyPart<
  Name extends string,
  // oxlint-disable-next-line typescript/no-explicit-any -- components of all properties
  Exports extends Record<Name, ComponentType<any>>,
>(load: () => Promise<Exports>, name: Name): Exports[Name] & Preloadable {
  type Component = ComponentType<ComponentProps<Exports[Name]>>;
  let loaded: Exports[Name] | undefined;
  const preload = async (): Promise<{ default: Exports[Name] }> => {
    loaded = (await load())[name];
    return { default: loaded };
  };
  const Suspending = lazy(loadPart(preload));
  function Part(props: ComponentProps<Exports[Name]>) {
    // Kept for the life of the instance: another component type would lose the state of the form.
    const [Shown] = useState(() => (loaded ?? Suspending) as Component);
    return <Shown {...props} />;
  }
  return Object.assign(Part as Exports[Name], { preload });
}

/**
 * Loads parts once the browser is idle, so that a click does not wait for their scripts.
 *
 * @param parts the same array on each render
 */
export function usePreload(parts: readonly Preloadable[]): void {
  useEffect(
    () =>
      whenIdle(() => {
        // A part that cannot be loaded is loaded again, or reports it, where it is rendered. Only
        // there may the page reload for it.
        for (const part of parts) void part.preload().catch(() => undefined);
      }),
    [parts],
  );
}
