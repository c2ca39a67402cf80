import { describe, expect, test } from "bun:test";
import { ConfigError, isAuthority, readConfig } from "../../src/platform/config.ts";
import { words } from "./fields/fixture.ts";

const configError = (environment: Record<string, string>): string => {
  try {
    readConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error("it was taken");
};

const modes = "disable, allow, prefer, require, verify-ca, verify-full";
test.each([
  ["sslmode=on", `it must be a URL with an sslmode of ${modes}`],
  ["sslmode=verify-ca&sslrootcert=/nowhere", "it must be a URL whose sslrootcert is a file that can be read"],
])("a database URL with %s is refused, and the message says why", (parameters, why) => {
  expect(configError({ DATABASE_URL: `postgres://user@host/database?${parameters}` })).toContain(why);
});

describe("defaults", () => {
  test("an empty environment is a working one", () => {
    // tests/unit/docs.test.ts compares every default with its page.
    expect(readConfig({})).toMatchObject({
      ...{ PORT: 8080, BASE_URL: "http://localhost:8080", DOCS_URL: "http://localhost:8080" },
      ...{ FEATURE_AGENT_SIGNING: false, TRUSTED_PROXY_HOPS: 0, CORS_ORIGINS: ["*"], ALLOWED_HOSTS: [] },
    });
  });

  test("an empty variable is an unset one", () => {
    expect(readConfig({ PORT: "", BASE_URL: "", CAPTCHA_PROVIDER: "" })).toEqual(readConfig({}));
  });

  test.each(
    words("DATABASE_URL MIGRATION_DATABASE_URL CLAMD_URL METRICS_TOKEN CAPTCHA_SECRET FORMD_SECRET_KEY"),
  )("an empty %s, which would mean another database or no protection, is refused", (name) => {
    expect(configError({ [name]: "" })).toBe(`${name} is empty: give it a value, or remove the variable.`);
  });

  test("variables that look like a setting and are none are known", () => {
    const misspelt = words(
      "RATE_LIMIT_PAPI_SUBMIT_PER_MINUTE FORMD_DATADIR MAX_BODY_SIZE DATABASE_POOLSIZE BASEURL FORMD_PORT POSTGRES_PROGRAM",
    );
    const others = words("PATH HOSTNAME PORTS NODE_ENV LOG_FORMAT POSTGRES_USER POSTGRES_PASSWORD");
    const environment = Object.fromEntries([...misspelt, ...others].map((name) => [name, "x"]));
    expect(readConfig({ ...environment, PORT: "81" }).unknownNames).toEqual(misspelt);
  });

  test("URLs follow from one another: port, base, docs", () => {
    expect(readConfig({ PORT: "81" }).DOCS_URL).toBe("http://localhost:81");
    const given = readConfig({ PORT: "81", BASE_URL: "https://f.example.org/" });
    expect([given.BASE_URL, given.DOCS_URL]).toEqual(["https://f.example.org", "https://f.example.org"]);
    const apart = readConfig({ BASE_URL: "https://f.example.org", DOCS_URL: "https://d.example.org/x/" });
    expect(apart.DOCS_URL).toBe("https://d.example.org/x");
  });

  test("whether the data directory was chosen is known", () => {
    expect(readConfig({}).dataDirIsDefault).toBe(true);
    expect(readConfig({ FORMD_DATA_DIR: ".formd" }).dataDirIsDefault).toBe(false);
  });

  test("the settings cannot be changed", () => {
    expect(() => Object.assign(readConfig({}), { PORT: 1 })).toThrow(TypeError);
  });
});

describe("an invalid value is named, with what is allowed", () => {
  test.each([
    ...["65536", "-1", "8080.0", "0x50", " 80"].map((port) => [
      "PORT",
      port,
      "a whole number from 0 to 65535",
    ]),
    ["DATABASE_POOL_SIZE", "0", "a whole number from 1 to 1000"],
    ["DATABASE_PREPARE", "yes", "true or false"],
    ["FEATURE_AGENT_SIGNING", "TRUE", "true or false"],
    ["RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE", "0", "a whole number from 1 to"],
    ["TRUSTED_PROXY_HOPS", "17", "a whole number from 0 to 16"],
    ["MAX_BODY_BYTES", "1023", "a whole number from 1024"],
    ["LOG_LEVEL", "loud", "one of trace, debug, info"],
    ["CAPTCHA_PROVIDER", "mine", "one of turnstile, hcaptcha, recaptcha, altcha"],
    ["ALLOWED_HOSTS", "a.example.org, http://b", "host names, comma-separated"],
    ["CORS_ORIGINS", "https://a.example.org/path", "* or origins"],
    ["CORS_ORIGINS", ",", "* or origins"],
  ])("%s=%s", (name = "", value = "", allowed = "") => {
    const message = configError({ [name]: value });
    expect(message).toStartWith(`${name} cannot be ${JSON.stringify(value)}: it must be ${allowed}`);
    expect(message).not.toContain("\n");
  });

  test.each(["BASE_URL", "DOCS_URL", "CAPTCHA_VERIFY_URL"])(
    "%s must be http or https, without user, query or fragment",
    (name) => {
      for (const value of [
        ...["f.example.org", "ftp://f.example.org", "javascript:alert(1)"],
        ...["https://u@f.example.org", "https://f.example.org?a", "https://f.example.org#a"],
      ])
        expect(configError({ [name]: value })).toStartWith(
          `${name} cannot be used: it must be an http or https URL`,
        );
    },
  );

  test("BASE_URL has no path", () => {
    for (const path of ["/forms", "//x", "\\\\x"])
      expect(configError({ BASE_URL: `https://f.example.org${path}` })).toStartWith(
        "BASE_URL cannot be used: it must be an http or https URL without a path",
      );
    const { BASE_URL } = readConfig({ BASE_URL: "https://[2001:db8::1]:8443/" });
    expect(BASE_URL).toBe("https://[2001:db8::1]:8443");
  });

  test("what may hold a secret is not repeated", () => {
    const message = configError({ DATABASE_URL: "postgresq://formd:hunter2@db/formd" });
    expect(message).toStartWith("DATABASE_URL cannot be used: it must be a URL such as postgres://");
    expect(message).not.toContain("hunter2");
  });

  test("files are in a directory, in a bucket with its keys, or nowhere", () => {
    for (const url of [
      ...["none", "file:///var/lib/files", "s3://KEY:se%2Fc+ret=@bucket-1.eu", "s3://K:s@b/of/formd"],
      "s3://K:s@b?endpoint=http://127.0.0.1:9000&region=eu-central-1",
    ])
      expect(readConfig({ FILES_URL: url }).FILES_URL).toBe(url);
    for (const url of [
      ...["files", "file://", "file://host/a", "s3://bucket", "s3://K@bucket", "s3://K:s@", "s3://K:s%FF@b"],
      ...["s3://K:s@b?endpoint=ftp://a", "s3://K:s@b?acl=public", "s3://K:hunter2@b/../c?x", "https://a/b"],
    ])
      expect(configError({ FILES_URL: url })).toStartWith("FILES_URL cannot be used: it must be a directory");
  });

  test("a CAPTCHA provider needs its secret", () => {
    expect(configError({ CAPTCHA_PROVIDER: "turnstile" })).toStartWith("CAPTCHA_SECRET is not set");
    const { CAPTCHA_PROVIDER } = readConfig({ CAPTCHA_PROVIDER: "turnstile", CAPTCHA_SECRET: "s" });
    expect(CAPTCHA_PROVIDER).toBe("turnstile");
  });
});

test("lists are split, trimmed, and hosts put into lower case", () => {
  const { ALLOWED_HOSTS, CORS_ORIGINS } = readConfig({
    ALLOWED_HOSTS: " A.example.org:8443 ,[::1]:80,",
    CORS_ORIGINS: "https://a.example.org, http://localhost:3000",
  });
  expect(ALLOWED_HOSTS).toEqual(["a.example.org:8443", "[::1]:80"]);
  expect(CORS_ORIGINS).toEqual(["https://a.example.org", "http://localhost:3000"]);
});

test("isAuthority accepts a host, with or without a port, and nothing else", () => {
  const hosts = words("localhost a forms.example.org:443 127.0.0.1:8080 [::1] [::1]:8080");
  const others = ["", "::1", "a b", "a/b", "a@b", "a:b", "a:123456", "a,b", "[::1"];
  expect([...hosts, ...others].filter(isAuthority)).toEqual(hosts);
});
