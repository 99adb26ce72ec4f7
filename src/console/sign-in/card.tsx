import { type ReactNode, useEffect } from 'react';

/** The frame of the pages outside of workspaces, which names the installation by its host. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${location.host}`;
  }, [title]);
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="flex w-full max-w-sm flex-col gap-4 rounded-xl wrap-anywhere border border-line bg-panel p-6 shadow-sm">
        <p className="flex items-center gap-3">
          <img src="/console/icon.svg" alt="" className="size-9" />
          <span className="flex min-w-0 flex-col">
            <span className="font-medium">Short links and QR codes</span>
            <span className="text-xs text-muted">{location.host}</span>
          </span>
        </p>
        <h1 className="text-lg font-semibold">{title}</h1>
        {children}
      </div>
    </main>
  );
}
