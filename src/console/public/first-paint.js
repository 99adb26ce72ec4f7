// Sets the theme and the shape of the page before the first paint. A separate file: the Content-Security-Policy allows no inline script.
const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

// Pages without the frame whose shape index.html shows.
if (/^\/console\/(?:sign-in|invitation|welcome)\/?$/.test(location.pathname)) {
  root.dataset.page = 'card';
}

function showTheme() {
  let chosen;
  try {
    chosen = localStorage.getItem('theme');
  } catch {
    // Storage is blocked: the theme of the system stays.
  }
  const isChosen = chosen === 'light' || chosen === 'dark';
  root.dataset.theme = isChosen ? chosen : system.matches ? 'dark' : 'light';
}

showTheme();
system.addEventListener('change', showTheme);
// app/theme.ts, when a person chooses, also in another window.
addEventListener('storage', showTheme);
