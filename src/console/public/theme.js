// Before the first paint, so that no theme flashes; a file of its own, since the policy allows no inline script.
const system = matchMedia('(prefers-color-scheme: dark)');

function showTheme() {
  let chosen;
  try {
    chosen = localStorage.getItem('theme');
  } catch {
    // Storage is blocked: the theme of the system stays.
  }
  const isChosen = chosen === 'light' || chosen === 'dark';
  document.documentElement.dataset.theme = isChosen ? chosen : system.matches ? 'dark' : 'light';
}

showTheme();
system.addEventListener('change', showTheme);
// app/theme.ts, when a person chooses, also in another window.
addEventListener('storage', showTheme);
