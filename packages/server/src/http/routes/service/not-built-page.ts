/** Shown in a checkout in which the dashboard was not built. */
export const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Spoor</title>
<h1>The dashboard is not built</h1>
<p>Start the service by <code>npm start</code>, which builds it, or build it by <code>npm run build</code> and start again.</p>
<p>The API answers all the same: <a href="/docs">its documentation</a>.</p>
</html>
`
