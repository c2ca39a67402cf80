/** The pool of connections to PostgreSQL, and which of its errors mean that a later attempt can succeed. */
import postgres, { type Fragment, type PendingQuery, type Row } from "postgres";
import { type Tls, takeTls } from "./tls.ts";

export type Sql = postgres.Sql;

interface PoolOptions {
  /** Connections this process opens at most. They are opened when queries need them. */
  poolSize: number;
  /** False behind a transaction pooler that keeps no prepared statements. */
  prepare: boolean;
}

/**
 * Opens a pool; no connection is made before the first query.
 *
 * @param url `postgres://user:password@host:port/database`. A Unix socket is named as libpq and dbmate name
 * it, by the directory: `postgres://user@localhost/database?host=/var/run/postgresql`. `sslmode` and
 * `sslrootcert` are libpq's.
 * @returns the postgres.js tag. `bigint` and `numeric` arrive as strings: cast in SQL (`::int`) what is known
 * to fit.
 * @throws {Error} when the URL cannot be parsed, or its root certificate cannot be read
 */
export function connect(url: string, { poolSize, prepare }: PoolOptions): Sql {
  const { base, path, database, ssl } = parseUrl(url);
  const options = {
    max: poolSize,
    prepare,
    onnotice: () => {},
    // Result columns only. `postgres.camel` would rename the keys inside jsonb as well, which are submission
    // data.
    transform: { column: { from: toCamel } },
    // Startup parameters that a transaction pooler lets through; timeouts are set on the role. postgres.js
    // reads dates of this style only.
    connection: { application_name: "formd", DateStyle: "ISO, MDY" },
    // Seconds. A host that does not respond at all must become a 503 before the caller gives up.
    connect_timeout: 5,
    // No pause between attempts: they are made for queries only, by at most `poolSize` connections, and each
    // failure fails its query. A pause would turn an outage into a queue that grows faster than it fails, and
    // would delay recovery.
    backoff: () => 0,
    // Seconds. Gives slots back to other instances after a peak; a steady load never reaches it.
    idle_timeout: 300,
    // Seconds, spread so that the connections do not all reopen at once. Follows a failover or a changed
    // address.
    max_lifetime: 60 * (30 + Math.random() * 30),
    // One query for each new connection. Without it postgres.js cannot serialize a JavaScript array as a
    // parameter.
    fetch_types: true,
    // One query at a time on a connection: postgres.js would send a hundred behind a slow one, also while
    // others are idle. Not 1, which sends one behind it. Safe with patches/ only.
    max_pipeline: 0,
    ssl,
    ...(path && { path }),
    ...(database && { database }),
  };
  return postgres(base, options);
}

/** A column's name as rows have it. */
export const { toCamel } = postgres;

/** One connection without prepared statements, closed at the end of its scope (`await using`). */
export function connectOnce(url: string): Sql & AsyncDisposable {
  const sql = connect(url, { poolSize: 1, prepare: false });
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) });
}

/** The name of a database in a URL, of which postgres.js decodes the user and the password only. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new Error(`the database ${name} in the URL has a "%" that encodes no character: write %25 for one`);
  }
}

/**
 * Takes out of a URL what libpq means by its parameters: postgres.js would send them to the server as
 * settings.
 */
function parseUrl(url: string): { base: string; path?: string; database?: string; ssl: Tls } {
  const [base = "", query = ""] = url.split("?", 2);
  const database = decodeName(/^\w+:\/\/[^/]*\/([^/]+)$/.exec(base)?.[1] ?? "");
  const parameters = new URLSearchParams(query);
  const directory = parameters.get("host") ?? parameters.get("socket");
  const isSocket = directory?.startsWith("/") ?? false;
  const ssl = takeTls(parameters, isSocket);
  const withParameters = (address: string) => (parameters.size ? `${address}?${parameters}` : address);
  if (!isSocket) return { base: withParameters(base), database, ssl };
  const port = parameters.get("port") ?? /:(\d+)\/[^/]*$/.exec(base)?.[1] ?? "5432";
  for (const name of ["host", "socket", "port"]) parameters.delete(name);
  // `postgres://user@/database`: right for libpq, no URL for WHATWG's parser.
  const named = base.replace(/^(\w+:\/\/(?:[^/@]*@)?)(?=\/)/, "$1localhost");
  return { base: withParameters(named), path: `${directory}/.s.PGSQL.${port}`, database, ssl };
}

/**
 * The same pool, with every query observed. The observer gets a promise of the result once the query is
 * awaited: only then does it run, and a fragment of another query never does.
 */
export function observed(sql: Sql, observe: (result: PromiseLike<unknown>) => void): Sql {
  // One function for all: fragments are queries too, a request has up to eight of them.
  const observedThen: PendingQuery<Row[]>["then"] = function (this: PendingQuery<Row[]>, onResult, onError) {
    // biome-ignore lint/suspicious/noThenProperty: it is a promise, and stays one
    this.then = Object.getPrototypeOf(this).then;
    observe(this);
    return this.then(onResult, onError);
  };
  return new Proxy(sql, {
    apply(tag, _, parts: Parameters<Sql>) {
      const query = tag(...parts);
      // biome-ignore lint/suspicious/noThenProperty: it is a promise, and stays one
      if (query instanceof Promise) query.then = observedThen;
      return query;
    },
  });
}

/**
 * The row of a query that always returns exactly one.
 *
 * @throws {Error} when it is absent: an error of the server, which must not read as "there is no such thing"
 * or "you may not".
 */
export function oneRow<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined || rows.length > 1)
    throw new Error(`A query that always returns one row has returned ${rows.length}.`);
  return row;
}

/** The result of a query that returns one row with one column, or none, as text; null: no row. */
export const queryText = async (sql: Sql, query: Fragment): Promise<string | null> =>
  oneRow(await sql<{ result: string | null }[]>`select (${query})::text as result`).result;

/**
 * A value for a `jsonb` parameter. Cast: callers pass what they parsed from JSON, and postgres.js's type does
 * not take `unknown`.
 */
export const jsonb = (sql: Sql, value: unknown) => sql.json(value as postgres.JSONValue);

/** Bytes as PostgreSQL reads them from JSON. */
export const toByteaText = (bytes: Uint8Array): string => `\\x${bytes.toHex()}`;

/**
 * Whether a transaction was aborted because of others (a deadlock, or limits that its form got meanwhile), so
 * that it may be tried again.
 */
export const isRetryable = (error: unknown): boolean =>
  error instanceof Error && ["40P01", "40001"].includes((error as NodeJS.ErrnoException).code ?? "");

/**
 * Whether a statement waited too long, for a lock or in all (lock_timeout, statement_timeout). Nothing of it
 * was committed.
 */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && ["55P03", "57014"].includes((error as NodeJS.ErrnoException).code ?? "");
