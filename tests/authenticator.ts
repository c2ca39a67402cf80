/**
 * An authenticator in software: passkeys by ES256, with whatever origin, RP id, flags and counter a test
 * wants (WebAuthn level 3, sections 5.8.1, 6.1 and 6.5).
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

/** Parts of a response that a test may make wrong. */
export interface Said {
  origin: string;
  rpId: string;
  counter: number;
  userVerified: boolean;
  userHandle: string;
  type: string;
  /** Signs with another key. */
  isForged: boolean;
}

/** A CBOR byte string of 24 to 65,535 bytes (RFC 8949, section 3.1). */
const byteString = (bytes: Uint8Array) =>
  Buffer.concat([
    bytes.length < 256
      ? Buffer.from([0x58, bytes.length])
      : Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]),
    bytes,
  ]);

export function makeAuthenticator(origin: string) {
  const makeKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = makeKeys();
  const id = randomBytes(32);
  const common = { id: base64url(id), rawId: base64url(id), type: "public-key", clientExtensionResults: {} };
  const usual: Said = {
    origin,
    rpId: new URL(origin).hostname,
    counter: 0,
    userVerified: true,
    userHandle: "",
    type: "",
    isForged: false,
  };
  const clientData = (type: string, challenge: string, said: Said) =>
    Buffer.from(
      JSON.stringify({ type: said.type || type, challenge, origin: said.origin, crossOrigin: false }),
    );
  /** Bits of the flags: user present, user verified, attested credential data. */
  const authenticatorData = ({ rpId, userVerified, counter }: Said, attested = Buffer.alloc(0)) => {
    const flags = 1 | (userVerified ? 4 : 0) | (attested.length > 0 ? 64 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested]);
  };
  /** The public key as COSE (RFC 9053, section 7.1.1): kty EC2, alg ES256, crv P-256, x, y. */
  const coseKey = () => {
    const { x = "", y = "" } = keys.publicKey.export({ format: "jwk" });
    const coordinate = (label: number, value: string) =>
      Buffer.concat([Buffer.from([label]), byteString(Buffer.from(value, "base64url"))]);
    return Buffer.concat([
      Buffer.from("a50102032620 01".replace(" ", ""), "hex"),
      coordinate(0x21, x),
      coordinate(0x22, y),
    ]);
  };
  let userHandle = "";
  return {
    /** @param options of the page, as JSON */
    create({ challenge, user }: { challenge: string; user: { id: string } }, wrong: Partial<Said> = {}) {
      const said = { ...usual, ...wrong };
      userHandle = user.id;
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey()]);
      const attestationObject = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
        byteString(authenticatorData(said, attested)),
      ]);
      return JSON.stringify({
        ...common,
        response: {
          clientDataJSON: base64url(clientData("webauthn.create", challenge, said)),
          attestationObject: base64url(attestationObject),
        },
      });
    },
    get({ challenge }: { challenge: string }, wrong: Partial<Said> = {}) {
      const said = { ...usual, userHandle, ...wrong };
      const data = authenticatorData(said);
      const client = clientData("webauthn.get", challenge, said);
      const { privateKey } = said.isForged ? makeKeys() : keys;
      return JSON.stringify({
        ...common,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)),
          userHandle: said.userHandle,
        },
      });
    },
  };
}
