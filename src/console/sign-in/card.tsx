import { type ReactNode, useEffect } from 'react';

/** The frame of the pages before a workspace is open. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="flex w-full max-w-sm flex-col gap-4 rounded-xl wrap-anywhere border border-line bg-panel p-6 shadow-sm">
        <img src="/console/icon.svg" alt="" className="size-9" />
        <h1 className="text-lg font-semibold">{title}</h1>
        {children}
      </div>
    </main>
  );
}
