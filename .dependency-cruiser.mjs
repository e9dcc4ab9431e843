// Rules for imports. Each rule says what to do instead; scripts/boundaries.test.mjs plants a violation of each rule.

/** Tests and code that only tests use: fakes, worlds, conformance suites. */
const TEST_FILE = '[.](test|test-support|conformance)[.](ts|mjs)$'
const FEATURES = 'traces|projects|audit|media|clusters|metrics|monitors|pricing|views|webhooks'
const SERVER = '^packages/server/src'

/** Matches a package by name, wherever it is installed and also if it is not. */
const packages = (/** @type {string} */ names) => `(^|node_modules/)(${names})($|/)`

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'contract-imports-nothing-of-ours',
      comment:
        'The contract is shared by clients and server and depends on neither. Move the needed code into the contract, or keep the logic where it is used.',
      severity: 'error',
      from: { path: '^packages/contract/' },
      to: { path: '^(packages|e2e|bench|fixtures|scripts)/', pathNot: '^packages/contract/' },
    },
    {
      name: 'contract-does-no-io',
      comment:
        'The contract also runs in browsers, so it must not import node: modules. Take bytes or text as a parameter and use files, sockets and clocks in the caller.',
      severity: 'error',
      from: { path: '^packages/contract/', pathNot: TEST_FILE },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'sdk-stands-alone',
      comment:
        'The sdk is published alone, for any runtime, so it must not import other packages or node: modules. Write the type out in the sdk and compare it with the contract in a test.',
      severity: 'error',
      from: { path: '^packages/sdk/src/', pathNot: TEST_FILE },
      to: { pathNot: '^packages/sdk/src/' },
    },
    {
      name: 'payloads-is-pure',
      comment:
        'The reader of payloads only computes, also in browsers, and stands alone. Take what it needs as a parameter.',
      severity: 'error',
      from: { path: '^packages/payloads/src/', pathNot: TEST_FILE },
      to: { pathNot: '^packages/payloads/src/' },
    },
    {
      name: 'dashboard-imports-contract-and-payloads-alone',
      comment:
        'The dashboard is a client like any other and talks over HTTP. Put what both need into the contract, and how messages are read into payloads.',
      severity: 'error',
      from: { path: '^packages/dashboard/src/', pathNot: TEST_FILE },
      to: { path: '^(packages|e2e|bench|fixtures|scripts)/', pathNot: '^packages/(dashboard|contract|payloads)/' },
    },
    {
      name: 'dashboard-imported-by-nobody',
      comment: 'The dashboard is built into files that the server serves. Put code that others need into the contract.',
      severity: 'error',
      from: { path: '^(packages|e2e|bench|fixtures|scripts)/', pathNot: '^packages/dashboard/' },
      to: { path: '^packages/dashboard/' },
    },
    {
      name: 'screens-do-not-import-one-another',
      comment:
        'Each screen is loaded separately. Put code that two screens need into ui/, lib/ or api/ of the dashboard.',
      severity: 'error',
      from: { path: '^packages/dashboard/src/(traces|trace|metrics|monitors|clusters|webhooks|settings)/' },
      to: {
        path: '^packages/dashboard/src/(app|traces|trace|metrics|monitors|clusters|webhooks|settings)/',
        pathNot: '^packages/dashboard/src/($1/|traces/filters/|app/theme[.]ts$)',
      },
    },
    {
      name: 'dashboard-parts-do-not-import-screens',
      comment: 'Screens are built from ui/, lib/ and api/. Take the differences as properties.',
      severity: 'error',
      from: { path: '^packages/dashboard/src/(ui|lib|api)/' },
      to: {
        path: '^packages/dashboard/src/(app|traces|trace|metrics|monitors|clusters|webhooks|settings)/',
        pathNot: '^packages/dashboard/src/app/theme[.]ts$',
      },
    },
    {
      name: 'server-imported-only-by-tests-and-tools',
      comment: 'Other packages talk to the server over HTTP. Put what both need into the contract.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/server/' },
      to: { path: '^packages/server/' },
    },
    {
      name: 'lib-knows-no-business',
      comment:
        'lib has only code that any service could use. Move code about traces, keys or deliveries into its feature.',
      severity: 'error',
      from: { path: `${SERVER}/lib/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/`, pathNot: `${SERVER}/lib/` },
    },
    {
      name: 'features-do-not-import-one-another',
      comment:
        'A feature declares a small interface for what it needs from another feature, in its own folder; profiles/ passes in the implementation. Features share only ports/.',
      severity: 'error',
      from: { path: `${SERVER}/(${FEATURES})/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/(${FEATURES})/`, pathNot: `${SERVER}/$1/` },
    },
    {
      name: 'ports-know-lib-and-contract-alone',
      comment:
        'A port is the interface between features and adapters, with its records. Move the type into the port, or the code that needs more into the feature.',
      severity: 'error',
      from: { path: `${SERVER}/ports/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/`, pathNot: `${SERVER}/(ports|lib)/` },
    },
    {
      name: 'journal-knows-no-feature',
      comment:
        'The journal is the order of events that all features share, and is below them. Import the journal in the feature, or put shared code into lib.',
      severity: 'error',
      from: { path: `${SERVER}/journal/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/(${FEATURES}|http|wire|storage)/` },
    },
    {
      name: 'wire-knows-no-http',
      comment:
        'wire/ converts records to the JSON of the API and back, for http/ and webhooks. It takes records of ports/ and returns text or data.',
      severity: 'error',
      from: { path: `${SERVER}/wire/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/(http|storage)/` },
    },
    {
      name: 'mcp-is-a-client-of-the-api',
      comment: 'A tool sends requests to the API by SendApiRequest. Add an operation if the API cannot do it.',
      severity: 'error',
      from: { path: `${SERVER}/mcp/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/`, pathNot: `${SERVER}/(mcp|lib)/` },
    },
    {
      name: 'clustering-is-pure',
      comment:
        'The clustering package only computes clusters from vectors and texts. Read and write in the server, which passes in the data. Libraries that only compute are listed here.',
      severity: 'error',
      from: { path: '^packages/clustering/src/', pathNot: TEST_FILE },
      to: { pathNot: '^packages/clustering/src/|^node_modules/(ml-matrix|stopword)/' },
    },
    {
      name: 'features-do-not-import-http',
      comment:
        'http calls the features, never the reverse. Throw a DomainError instead of a status; return data instead of a reply.',
      severity: 'error',
      from: { path: `${SERVER}/(${FEATURES})/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/http/` },
    },
    {
      name: 'storage-only-in-main',
      comment:
        'Import the port (from ports/) as a type and take its implementation as a parameter; profiles/ supplies it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${SERVER}/(profiles|storage)/|${SERVER}/main[.]ts$|${TEST_FILE}` },
      to: { path: `${SERVER}/storage/` },
    },
    {
      name: 'storage-does-not-import-http',
      comment:
        'An adapter implements a port of a feature. Put code that http and storage both need into the feature or lib.',
      severity: 'error',
      from: { path: `${SERVER}/storage/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/http/` },
    },
    {
      name: 'storage-knows-rules-of-features-alone',
      comment:
        'Of a feature, storage may import only rules/: functions without input or output. Move the type into ports/, or the function into rules/.',
      severity: 'error',
      from: { path: `${SERVER}/storage/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/(${FEATURES})/`, pathNot: `${SERVER}/(${FEATURES})/rules/` },
    },
    {
      name: 'engine-behind-settled-rows',
      comment:
        'What joins memory with the engine knows it by storage/recent/settled-rows.ts, and the encoding of rows. Add a method there, and implement it in storage/clickhouse/.',
      severity: 'error',
      from: { path: `${SERVER}/storage/(recent|embedded|cluster)/`, pathNot: TEST_FILE },
      to: {
        path: `${SERVER}/storage/clickhouse/`,
        pathNot: `${SERVER}/storage/clickhouse/rows/(byte-writer|metric-event-row|step-row|trace-row)[.]ts$`,
      },
    },
    {
      name: 'rules-are-pure',
      comment: 'Rules of a feature compute. Read and write in a use case or an adapter, which passes in the data.',
      severity: 'error',
      from: { path: `${SERVER}/(${FEATURES})/rules/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/`, pathNot: `${SERVER}/(lib|ports|$1/rules)/` },
    },
    {
      name: 'http-framework-only-in-http',
      comment: 'Write a use case that takes and returns plain data, and a route in http/ that calls it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${SERVER}/http/` },
      to: { path: packages('fastify|@fastify') },
    },
    {
      name: 'database-drivers-only-in-storage',
      comment: 'Add a method to the port and write the query in its adapter in storage/.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${SERVER}/storage/` },
      to: { path: `${packages('chdb|@chdb|@clickhouse|kysely|pg|@aws-sdk|@smithy')}|^(node:)?sqlite$` },
    },
    {
      name: 'http-client-only-in-delivery-client',
      comment:
        'Requests to URLs of users must go through the guard of delivery-client/: take a DeliverySender as a parameter. node-client/ sends to other nodes alone.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${SERVER}/(delivery|node)-client/` },
      to: { path: packages('undici') },
    },
    {
      name: 'delivery-client-only-in-start',
      comment:
        'Import the port (ports/webhooks/delivery-sender.ts, ports/nodes/nodes.ts) as a type and take its implementation as a parameter; profiles/ supplies it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${SERVER}/(profiles|(delivery|node)-client)/|${TEST_FILE}` },
      to: { path: `${SERVER}/(delivery|node)-client/` },
    },
    {
      name: 'delivery-client-does-not-import-http-or-storage',
      comment: 'The sender is an adapter of ports/webhooks/delivery-sender.ts and may import only lib and ports.',
      severity: 'error',
      from: { path: `${SERVER}/(delivery|node)-client/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/(http|storage|journal|${FEATURES})/` },
    },
    {
      name: 'model-endpoints-only-in-start',
      comment:
        'Import the port (packages/clustering/src/embedding/text-embedder.ts, packages/clustering/src/naming/cluster-namer.ts) as a type and take its implementation as a parameter; profiles/embedded/cluster-thread.ts supplies it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${SERVER}/(profiles|model-endpoints)/|${TEST_FILE}` },
      to: { path: `${SERVER}/model-endpoints/` },
    },
    {
      name: 'model-endpoints-do-not-import-http-or-storage',
      comment: 'They are adapters of two ports of clusters/ and may import only lib and that feature.',
      severity: 'error',
      from: { path: `${SERVER}/model-endpoints/`, pathNot: TEST_FILE },
      to: { path: `${SERVER}/(http|storage|journal|${FEATURES.replace('|clusters', '')})/` },
    },
    {
      name: 'no-engine-in-the-thread-of-clusters',
      comment:
        'The engine is only loaded on the main thread: a second one in the process would break it. Read on the main thread and send the data to this thread in a message.',
      severity: 'error',
      from: { path: `${SERVER}/profiles/embedded/cluster-thread[.]ts$` },
      to: { path: `${SERVER}/storage/clickhouse/|${packages('chdb|@chdb')}`, reachable: true },
    },
    {
      name: 'config-only-in-main',
      comment:
        'main.ts reads the configuration and profiles/ passes on the values: take the value you need as a parameter.',
      severity: 'error',
      from: {
        path: '^packages/',
        pathNot: `${SERVER}/(main[.]ts$|profiles/|config[.]ts$|config/)|${TEST_FILE}`,
      },
      to: { path: `${SERVER}/(config[.]ts$|config/)` },
    },
    {
      name: 'main-imported-by-nobody',
      comment: 'main.ts starts the service when it is imported. Move the code you need into its own module.',
      severity: 'error',
      from: {},
      to: { path: `${SERVER}/main[.]ts$` },
    },
    {
      name: 'product-does-not-import-tests',
      comment:
        'Move shared code out of the test into a module; code that only tests share belongs in a *.test-support.ts file.',
      severity: 'error',
      from: { pathNot: TEST_FILE },
      to: { path: TEST_FILE },
    },
    {
      name: 'product-does-not-import-development-packages',
      comment:
        'A production install has no devDependencies. Move the package to the dependencies of its workspace, with a reason in the commit.',
      severity: 'error',
      from: { path: '^packages/[^/]+/(src|bin)/', pathNot: TEST_FILE },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolvable-imports',
      comment:
        'The file or package does not exist. Relative imports need the .ts extension; packages must be in the package.json of their workspace.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-cycles',
      comment:
        'Extract the code that both files need, or declare an interface in the lower file that the higher one implements.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'Nothing imports this file and it imports nothing. Use it or delete it.',
      severity: 'error',
      from: { orphan: true, path: '^packages/[^/]+/src/', pathNot: `[.]d[.]ts$|${SERVER}/main[.]ts$|${TEST_FILE}` },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Senders have packages of their own, which need not be installed.
    exclude: {
      path: '^(packages/(sdk|server|dashboard)/dist|e2e/otlp/(mastra|agents)|e2e/lib/oldest-chromium)/',
    },
    tsConfig: { fileName: 'tsconfig.json' },
    // Type-only imports are dependencies too.
    tsPreCompilationDeps: true,
    // With workspaces, a package may be declared in the root or in the workspace.
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
}
