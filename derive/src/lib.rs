//! `#[derive(Parameters)]`: parses and documents the fields of a query or body.
//!
//! Each field becomes a `Parameter`, a builder in the crate that uses the macro. Its doc comment is the description,
//! and each item of `#[param(…)]` is a method call on the builder: `example = 1` becomes `.example(1)`, `nullable`
//! becomes `.nullable()`, `only(B)` becomes `.only(B)`. The macro itself interprets only `flatten`, which includes the
//! parameters of another struct; a mistake is a compiler error at the item.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    Attribute, Data, DataStruct, DeriveInput, Error, Expr, Field, Fields, Lit, Meta, Result, Token, ext::IdentExt,
    parse_macro_input, punctuated::Punctuated, spanned::Spanned,
};

/// Implements the crate's `Parameters` for a struct with named fields.
#[proc_macro_derive(Parameters, attributes(param))]
pub fn derive_parameters(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(DataStruct {
        fields: Fields::Named(fields),
        ..
    }) = &input.data
    else {
        return Err(Error::new(
            input.span(),
            "Parameters can only be derived for a struct with named fields",
        ));
    };
    let mut parameters = Vec::new();
    let mut members = Vec::new();
    for field in &fields.named {
        let (parameter, member) = expand_field(field)?;
        parameters.push(parameter);
        members.push(member);
    }
    let name = &input.ident;
    Ok(quote! {
        impl crate::extract::Parameters for #name {
            fn parameters() -> &'static [crate::extract::Parameter] {
                #[allow(unused_imports, reason = "only some structs differ by variant")]
                use crate::calendar::Variant::{A, B};
                static PARAMETERS: std::sync::OnceLock<Vec<crate::extract::Parameter>> = std::sync::OnceLock::new();
                PARAMETERS.get_or_init(|| {
                    let mut parameters = Vec::new();
                    #(#parameters)*
                    parameters
                })
            }

            fn take(fields: &mut crate::extract::Fields) -> Self {
                Self { #(#members,)* }
            }
        }
    })
}

/// The statement that adds the field's parameters to the list, and the member of the struct literal that parses them.
fn expand_field(field: &Field) -> Result<(TokenStream, TokenStream)> {
    let (ident, ty) = (&field.ident, &field.ty);
    let items = items(&field.attrs)?;
    let is_flattened = items.iter().any(|item| item.path().is_ident("flatten"));
    let calls = items
        .iter()
        .filter(|item| !item.path().is_ident("flatten"))
        .map(|item| match item {
            Meta::Path(path) => quote_spanned! { path.span() => .#path() },
            Meta::List(list) => {
                let (path, arguments) = (&list.path, &list.tokens);
                quote_spanned! { path.span() => .#path(#arguments) }
            }
            Meta::NameValue(pair) => {
                let (path, value) = (&pair.path, &pair.value);
                quote_spanned! { path.span() => .#path(#value) }
            }
        });
    if is_flattened {
        let parameter = quote! {
            let flattened = <#ty as crate::extract::Parameters>::parameters().iter().cloned();
            parameters.extend(flattened.map(|parameter| parameter #(#calls)*));
        };
        return Ok((parameter, quote! { #ident: crate::extract::Parameters::take(fields) }));
    }
    let name = ident.as_ref().map(|ident| ident.unraw().to_string());
    let description = description(&field.attrs);
    let parameter = quote! {
        parameters.push(crate::extract::Parameter::new::<#ty>(#name, #description)#(#calls)*);
    };
    Ok((parameter, quote! { #ident: fields.take(#name) }))
}

/// The items of all `#[param(…)]` attributes.
fn items(attributes: &[Attribute]) -> Result<Vec<Meta>> {
    let mut items = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("param")) {
        items.extend(attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?);
    }
    Ok(items)
}

/// The doc comment as one string: lines are joined with spaces, paragraphs are separated by a blank line.
fn description(attributes: &[Attribute]) -> String {
    let mut description = String::new();
    for attribute in attributes {
        let Meta::NameValue(pair) = &attribute.meta else {
            continue;
        };
        let Expr::Lit(literal) = &pair.value else { continue };
        let Lit::Str(line) = &literal.lit else { continue };
        if !pair.path.is_ident("doc") {
            continue;
        }
        let line = line.value();
        match line.trim() {
            "" => description.push_str("\n\n"),
            text if description.is_empty() || description.ends_with('\n') => description.push_str(text),
            text => {
                description.push(' ');
                description.push_str(text);
            }
        }
    }
    description
}
