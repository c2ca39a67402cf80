/** The order of the parts of a postal address, by region (Universal Postal Union, CLDR). Pure. */
import { addressParts } from "./control-values.ts";
import { regionOf } from "./regions.ts";

type Part = (typeof addressParts)[number];

const postalCodeFirst: readonly Part[] = ["line1", "line2", "postalCode", "city", "region", "country"];
/** From the largest to the smallest part. */
const largestFirst: readonly Part[] = ["postalCode", "region", "city", "line1", "line2", "country"];

/** Regions of each order. All others write the town before the postal code. */
const regionsByOrder = [
  [
    postalCodeFirst,
    "AD AL AM AR AT AX BA BE BG CH CL CR CU CY CZ DE DK DO DZ EE EH ES FI FO FR GE GF GL GP GR GT GW HN HR HT " +
      "IL IS IT KG LA LI LT LU MA MC MD ME MG MK MQ MX MY MZ NC NE NI NL NO PF PL PM PT PY RE RO RS SE SI " +
      "SK SM SN SV TJ TN TR UY UZ VA WF XK YT",
  ],
  [largestFirst, "CN JP KP KR MO TW"],
] as const;

const orders = new Map(
  regionsByOrder.flatMap(([order, regions]) => regions.split(" ").map((region) => [region, order] as const)),
);

/** The parts in the order in which people write an address in a language (BCP 47), or in its region. */
export const addressPartsIn = (language: string): readonly Part[] =>
  orders.get(regionOf(language)) ?? addressParts;
