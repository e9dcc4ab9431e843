/**
 * The dashboard works in these versions and later ones. They are at least two years old. The build lowers newer syntax
 * for them, but adds no missing functions.
 */
export const OLDEST_BROWSERS = { Chrome: 131, Edge: 131, Firefox: 128, Safari: 18 }

/** "Chrome 131, Edge 131, …" */
export const OLDEST_BROWSERS_TEXT = Object.entries(OLDEST_BROWSERS)
  .map(([name, version]) => `${name} ${version}`)
  .join(', ')
