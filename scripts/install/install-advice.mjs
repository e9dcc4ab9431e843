// Runs on Node 20 and later, before anything is installed: no dependencies.

const NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|ENETUNREACH|EHOSTUNREACH|E50\d|network)\b/
const CERTIFICATE =
  /\b(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_HAS_EXPIRED)\b/
const REFUSED = /\b(E401|E403|E404|ETARGET)\b/

/**
 * What to do about a failed install, by the error lines of npm.
 * @param {{ npmOutput: string, npmVersion: string | null, freeBytes: number, neededBytes: number }} failure
 * @returns {string}
 */
export function adviceFor({ npmOutput, npmVersion, freeBytes, neededBytes }) {
  const toMegabytes = (/** @type {number} */ bytes) => `${Math.round(bytes / 1e6)} MB`
  if (/\bENOSPC\b/.test(npmOutput) || freeBytes < neededBytes / 4) {
    return `The disk is full: the packages need about ${toMegabytes(neededBytes)}, ${toMegabytes(freeBytes)} are free. Make space, then run the same command again.`
  }
  if (npmVersion !== null && Number.parseInt(npmVersion, 10) < 10) {
    return `npm ${npmVersion} is too old: npm 10 or later is needed (it comes with Node 20).`
  }
  if (CERTIFICATE.test(npmOutput)) {
    return 'The certificate of the registry is not trusted here. Behind a proxy that intercepts TLS, configure its certificate (npm config set cafile FILE), then run the same command again.'
  }
  if (NETWORK.test(npmOutput)) {
    return 'The npm registry could not be reached. Check the network and, behind a proxy, the settings of npm (npm config get proxy, npm config get registry), then run the same command again.'
  }
  if (/\b(EACCES|EPERM|EROFS)\b/.test(npmOutput)) {
    return 'npm may not write where it needs to. Make this folder and npm’s cache (npm config get cache) writable for you; files made by an earlier run with sudo are the usual reason. Then run the same command again.'
  }
  if (/\bEBADENGINE\b/.test(npmOutput)) {
    return 'The npm setting engine-strict refuses this Node version. Unset it for this command (npm_config_engine_strict=false), or use a newer Node.'
  }
  if (/\bEINTEGRITY\b/.test(npmOutput)) {
    return 'A downloaded package is not the one the lockfile names. Clear the cache (npm cache clean --force) and run the same command again; if it stays, do not use this network.'
  }
  if (REFUSED.test(npmOutput)) {
    return 'The npm registry refuses a package or does not have it. If npm uses your own registry (npm config get registry), check that it has the package named above.'
  }
  return 'Run npm install --no-save in this folder to see the full output of npm.'
}

/**
 * The error lines of npm, without references to its log and help.
 * @param {string} npmOutput
 * @returns {string[]} at most 30
 */
export function errorLines(npmOutput) {
  return npmOutput
    .split('\n')
    .filter(
      (line) =>
        /^npm (error|ERR!)/.test(line) &&
        !/complete log of this run|^npm (error|ERR!)\s+at |^npm (error|ERR!)\s*$/.test(line),
    )
    .slice(0, 30)
}
