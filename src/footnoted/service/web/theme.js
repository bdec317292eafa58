/* The reader's choice of light or dark in; it is on the page before anything is painted. Not a module, so that it runs first. */
(() => {
  try {
    const theme = JSON.parse(localStorage.getItem("footnoted.choice.theme"));
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // No choice is kept: the system's own holds.
  }
})();
